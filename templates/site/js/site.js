/* What a browser adds to the pages; every number is there without it. */
"use strict";
