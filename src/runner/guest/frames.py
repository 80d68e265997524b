"""Frames between host and guest: the byte format of docs/protocol.md, version 1."""

import json
import struct

MAGIC = b"HG"
VERSION = 1
HEADER = struct.Struct(">2sBBII")
MAX_PAYLOAD = 1 << 20
# Payload of the frames that carry bulk data: large enough to be cheap, small enough to interleave.
CHUNK = 256 * 1024


class ToGuest:
    """Types of frames that the host sends."""

    RUN, CODE, INPUT, STDIN, FILE, FILE_DATA = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
    START, KILL, LIST, GET, RENEW, BYE, RESET = 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D


class ToHost:
    """Types of frames that the guest sends."""

    READY, STAGE_ERROR, STARTED, OUTPUT, PREVIEW, TAIL = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86
    REPORT, END, LISTING, FILE_DATA, FILE_END, FATAL = 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8F


class ProtocolError(Exception):
    """The host sent what the protocol does not allow; the guest cannot go on."""


def encode_frame(kind, stream_id, payload):
    """Header and payload of one frame; `payload` is bytes of at most MAX_PAYLOAD."""
    return HEADER.pack(MAGIC, VERSION, kind, stream_id, len(payload)) + payload


def encode_json(value):
    """JSON as a payload; lone surrogates stay escaped, so encoding never fails."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def decode_json(payload):
    """The JSON object of a payload; raises ProtocolError for anything else."""
    try:
        value = json.loads(payload) if payload else {}
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"payload is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ProtocolError("payload is not a JSON object")
    return value


class FrameDecoder:
    """Cuts a byte stream into frames; the header is checked before its payload is waited for."""

    def __init__(self):
        self._buffer = bytearray()

    def feed(self, data):
        """Yields `(type, id, payload)` for each frame that is complete; raises ProtocolError."""
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= HEADER.size:
                magic, version, kind, stream_id, length = HEADER.unpack_from(buffer, start)
                if magic != MAGIC or version != VERSION or length > MAX_PAYLOAD:
                    raise ProtocolError("malformed frame header")
                end = start + HEADER.size + length
                if len(buffer) < end:
                    break
                payload = bytes(buffer[start + HEADER.size : end])
                start = end
                yield kind, stream_id, payload
        finally:
            del buffer[:start]
