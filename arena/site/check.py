"""What has to hold for a built site, read from its files alone."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from xml.etree import ElementTree as Xml
from urllib.parse import urlsplit

from arena.site.budget import Line, Sizes, budget
from arena.site.links import Links, files_in
from arena.site.markup import Tag, tags
from arena.site.secrets import Secrets
from arena.site.twins import SCHEMA_VERSION
