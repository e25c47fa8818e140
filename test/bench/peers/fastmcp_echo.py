"""The echo tool on FastMCP with its default settings, for the benchmark."""

import sys
from typing import Annotated

from fastmcp import FastMCP
from pydantic import BaseModel, Field

server = FastMCP("bench")


class Echo(BaseModel):
    message: str
    repeat: list[str]


@server.tool
def echo_json(message: str, n: Annotated[int, Field(ge=1, le=64)] = 1) -> Echo:
    """Echoes a message deterministically and optionally repeats it n times."""
    message = message.strip()
    return Echo(message=message, repeat=[message] * n)


if __name__ == "__main__":
    host, port = sys.argv[1].rsplit(":", 1)
    server.run(
        transport="http",
        host=host,
        port=int(port),
        show_banner=False,
        log_level="error",
    )
