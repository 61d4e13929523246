"""Charts as inline SVG: drawn here, coloured by the style sheet, the same bytes every time."""
