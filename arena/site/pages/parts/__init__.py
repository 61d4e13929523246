"""Parts that several pages share: notices, tables, numbers."""
