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
    ATTACH, NEXT, ARRANGE, PART = 0x0E, 0x0F, 0x10, 0x11


# What ATTACH carries, and its header: no JSON holds these bytes, so they are found wherever a dead host broke off.
NONCE_SIZE = 32
ATTACH_HEADER = HEADER.pack(MAGIC, VERSION, ToGuest.ATTACH, 0, NONCE_SIZE)

# An ATTACH may arrive in parts, behind part of a header.
_ATTACH_AFTER_RUBBLE = 2 * HEADER.size + NONCE_SIZE


class ToHost:
    """Types of frames that the guest sends."""

    READY, STAGE_ERROR, STARTED, OUTPUT, PREVIEW, TAIL = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86
    REPORT, END, LISTING, FILE_DATA, FILE_END, FATAL = 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8F
    ATTACHED, STATE, NOTE, ARRANGED = 0x8C, 0x8D, 0x8E, 0x90


class ProtocolError(Exception):
    """The host sent what the protocol does not allow; the guest cannot go on."""


def encode_header(kind, stream_id, length):
    """Header of one frame, whose payload of `length` bytes, at most MAX_PAYLOAD, follows it."""
    return HEADER.pack(MAGIC, VERSION, kind, stream_id, length)


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
        self._held = bytearray()
        # Of a frame whose payload is passed on as it comes: type, number, bytes that are missing.
        self._passing = None

    def feed(self, data, may_break_off=None):
        """
        Yields `(type, id, payload)` for each frame that is complete; raises ProtocolError.

        The payload of FILE_DATA comes in the parts in which it arrives, each valid until the next is asked for: files are
        most of what is sent, and are not copied on their way. Where `may_break_off()` says so, a frame that its host did not
        complete is dropped for an ATTACH of the next one.
        """
        data = memoryview(data)
        if self._passing is not None:
            part, data = self._pass_on(data)
            yield part
        if self._held:
            self._held += data
            data = memoryview(self._held)
        start = 0
        try:
            while len(data) - start >= HEADER.size:
                magic, version, kind, stream_id, length = HEADER.unpack_from(data, start)
                is_frame = magic == MAGIC and version == VERSION and length <= MAX_PAYLOAD
                body = start + HEADER.size
                breaks_off = may_break_off is not None and may_break_off()
                is_there = is_frame and len(data) >= body + length
                if is_there and (not breaks_off or _is_whole(kind, data[body : body + length])):
                    start = body + length
                    yield kind, stream_id, _payload(kind, data[body:start])
                elif breaks_off:
                    at = _find_attach(data, start + 1, is_frame)
                    if at is None:
                        break
                    start = at
                elif is_frame and kind == ToGuest.FILE_DATA:
                    self._passing, start = (kind, stream_id, length), len(data)
                    yield self._pass_on(data[body:])[0]
                elif is_frame:
                    break
                else:
                    raise ProtocolError("malformed frame header")
        finally:
            self._hold(data[start:])

    def _pass_on(self, data):
        kind, stream_id, missing = self._passing
        part, rest = data[:missing], data[missing:]
        self._passing = (kind, stream_id, missing - len(part)) if len(part) < missing else None
        return (kind, stream_id, part), rest

    def _hold(self, rest):
        if not self._held or len(rest) < len(self._held):
            self._held = bytearray(rest)


def _payload(kind, part):
    return part if kind == ToGuest.FILE_DATA else bytes(part)


def _is_whole(kind, payload):
    """
    Whether a frame is its sender's own to its last byte, where an ATTACH may have completed one that broke off.

    All others hold JSON objects then, which end with a brace and have none of the control characters of a header.
    """
    return kind == ToGuest.ATTACH or (payload[-1:] == b"}" and MAGIC + b"\x01" not in bytes(payload))


def _find_attach(data, start, may_be_frame):
    """Where an ATTACH begins; None where more has to come first."""
    at = bytes(data).find(ATTACH_HEADER, start)
    if at >= 0:
        return at
    if may_be_frame or len(data) - (start - 1) < _ATTACH_AFTER_RUBBLE:
        return None
    raise ProtocolError("malformed frame header")
