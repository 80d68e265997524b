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
    ATTACH = 0x0E


# What ATTACH carries, and its header: no JSON holds these bytes, so they are found wherever a dead host broke off.
NONCE_SIZE = 32
ATTACH_HEADER = HEADER.pack(MAGIC, VERSION, ToGuest.ATTACH, 0, NONCE_SIZE)

# An ATTACH may arrive in parts, behind part of a header.
_ATTACH_AFTER_RUBBLE = 2 * HEADER.size + NONCE_SIZE


class ToHost:
    """Types of frames that the guest sends."""

    READY, STAGE_ERROR, STARTED, OUTPUT, PREVIEW, TAIL = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86
    REPORT, END, LISTING, FILE_DATA, FILE_END, FATAL = 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8F
    ATTACHED, STATE, NOTE = 0x8C, 0x8D, 0x8E


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

    def feed(self, data, may_break_off=None):
        """
        Yields `(type, id, payload)` for each frame that is complete; raises ProtocolError.

        Where `may_break_off()` says so, a frame that its host did not complete is dropped for an ATTACH of the next one.
        """
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= HEADER.size:
                magic, version, kind, stream_id, length = HEADER.unpack_from(buffer, start)
                is_frame = magic == MAGIC and version == VERSION and length <= MAX_PAYLOAD
                end = start + HEADER.size + length
                if not is_frame or len(buffer) < end:
                    breaks_off = may_break_off is not None and may_break_off()
                    at = buffer.find(ATTACH_HEADER, start + 1) if breaks_off else -1
                    if at >= 0:
                        start = at
                        continue
                    if is_frame or (breaks_off and len(buffer) - start < _ATTACH_AFTER_RUBBLE):
                        break
                    raise ProtocolError("malformed frame header")
                payload = bytes(buffer[start + HEADER.size : end])
                start = end
                yield kind, stream_id, payload
        finally:
            del buffer[:start]
