"""Writes o200k_base.tiktoken, which openai-harmony else downloads.

The npm package tiktoken holds the same vocabulary: lines of a mark, the first
rank, and the base64 tokens of the ranks from there on. The file is written one
token a line, and only if it is the very file that OpenAI publishes.

Usage: vocabulary.py ENCODERS/o200k_base.json FOLDER
"""

import hashlib
import json
import sys
from pathlib import Path

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def expand(packed: str) -> bytes:
    """One line per token: its base64 form and its rank."""
    lines = []
    for block in filter(None, packed.split("\n")):
        _, first, *tokens = block.split(" ")
        lines += [f"{token} {int(first) + i}\n" for i, token in enumerate(tokens)]
    return "".join(lines).encode()


def main() -> None:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    target = folder / "o200k_base.tiktoken"
    content = expand(json.loads(source.read_text())["bpe_ranks"])
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        sys.exit(f"{source} expands to a vocabulary of sha256 {digest}, not {SHA256}")
    folder.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


if __name__ == "__main__":
    main()
