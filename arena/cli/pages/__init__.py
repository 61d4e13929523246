"""Pages and data: the site, exports, the tape, schemas."""
