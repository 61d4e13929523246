"""What a build is told: where the project is, which its sources do not know."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A picture or a link of README.md that leads to a file beside it.
BESIDE = r"({}\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)"


class ProjectMetadata(MetadataHookInterface):
    """Fill in addresses from PROJECT_URL and PROJECT_EMAIL; without them there are none."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the authors, the links and README.md, whose own links an index cannot follow."""
        url = os.environ.get("PROJECT_URL", "").rstrip("/")
        email = os.environ.get("PROJECT_EMAIL", "")
        author = {"name": "The authors of Paper Arena"}
        metadata["authors"] = [{**author, "email": email} if email else author]
        version = re.search(
            r'__version__.*"(.+)"', Path(self.root, "arena/__init__.py").read_text("utf-8")
        )
        text = Path(self.root, "README.md").read_text("utf-8")
        if url and version:
            tag = f"v{version[1]}"
            metadata["urls"] = {
                "Homepage": url,
                "Changes": f"{url}/blob/{tag}/CHANGELOG.md",
                "Documentation": f"{url}/blob/{tag}/docs/README.md",
                "Issues": f"{url}/issues",
            }
            for mark, kind in (("!", "raw"), ("", "blob")):
                text = re.sub(BESIDE.format(mark), rf"\1({url}/{kind}/{tag}/\2)", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
