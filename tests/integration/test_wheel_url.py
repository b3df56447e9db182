"""A wheel behind a real server."""

import contextlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from dgpin.api import wheels
from dgpin.build.archive import BombError
from tests.api.test_wheels import MEMBERS, packed

DATA = packed(MEMBERS)


class Handler(BaseHTTPRequestHandler):
    """Serves DATA: by ranges below `/ranges/`, whole below `/whole/`."""

    sent = 0

    def do_GET(self) -> None:
        """Answer one request."""
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not self.path.startswith(("/ranges/", "/whole/")):
            self.send_error(404)
            return
        body, status = DATA, 200
        begin, end = 0, len(DATA)
        if span and self.path.startswith("/ranges/"):
            first, last = span.groups()
            begin = int(first) if first else max(len(DATA) - int(last), 0)
            end = int(last) + 1 if first else len(DATA)
            body, status = DATA[begin:end], 206
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(DATA)}")
        if self.path == "/ranges/endless.whl":
            body += bytes(len(DATA))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        Handler.sent += len(body)
        with contextlib.suppress(ConnectionError):  # not all of it is wanted
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(name="address")
def _address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_ranges(address: str) -> None:
    """Only the parts that hold the package are fetched, and they are what was served."""
    Handler.sent = 0
    build = wheels.remote(f"{address}/ranges/a.whl")

    name = "vllm/third_party/deep_gemm/_C.abi3.so"
    assert MEMBERS[name] == (build.package / "_C.abi3.so").read_bytes()
    assert 0 < Handler.sent < len(DATA) / 3


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/whole/a.whl", "the server does not serve parts of files"),
        ("/nowhere/a.whl", "the server answers 404"),
    ],
)
def test_refused(address: str, path: str, says: str) -> None:
    """A server that cannot do it is named, with what it answered."""
    with pytest.raises(wheels.WheelError) as caught:
        wheels.remote(address + path)

    assert says in caught.value.message


def test_more_than_asked_for(address: str) -> None:
    """Of an answer that is larger than the part that was asked for, no more is read."""
    with pytest.raises(BombError, match="more than 262144 bytes are sent"):
        wheels.remote(f"{address}/ranges/endless.whl")


def test_nobody_there() -> None:
    """A server that is not there is a failure with a sentence."""
    with pytest.raises(wheels.WheelError) as caught:
        wheels.remote("http://127.0.0.1:9/a.whl")

    assert "cannot be fetched" in caught.value.message
