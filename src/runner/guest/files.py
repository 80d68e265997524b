"""Answers LIST and GET after the end of a program, as the host takes the answers."""

from collections import deque

from collect import ROOTS, FileReader, Listing, Refused
from frames import MAX_PAYLOAD, ProtocolError, ToHost, decode_json
from late_import import import_guest

# Bulk frames are made only while less than this waits for the host.
HIGH_WATER = 1 << 20
FRAMES_A_TURN = 8
# Of an entry in JSON, about: each character of its path may take six bytes there, one beyond the first plane twelve.
CHARACTER_COST, ENTRY_COST = 12, 128
# One entry more still fits into a frame.
LISTING_FRAME = MAX_PAYLOAD // 2


class FileService:
    """Listings and files that the host has asked for, one after the other."""

    def __init__(self, channel):
        self._channel = channel
        self._asked = deque()

    @property
    def is_busy(self):
        """Whether an answer is not complete."""
        return bool(self._asked)

    def forget(self):
        """Drops what was asked: it was for a host that is not there any more."""
        self._asked.clear()

    def list(self, payload):
        """Takes a LIST; raises ProtocolError."""
        request = decode_json(payload)
        root, limit = request.get("root"), request.get("max")
        most_bytes = request.get("digestBytes")
        if root not in ROOTS or not isinstance(limit, int):
            raise ProtocolError("LIST is not valid")
        if most_bytes is None:
            listing = Listing(root, limit)
        elif root == "sandbox" and isinstance(most_bytes, int):
            listing = import_guest("tree").Tree(limit, most_bytes)
        else:
            raise ProtocolError("LIST is not valid")
        self._asked.append(self._send_listing(listing))

    def get(self, file_id, payload):
        """Takes a GET; raises ProtocolError."""
        request = decode_json(payload)
        path, limit = request.get("path"), request.get("maxBytes")
        if not isinstance(path, str) or not isinstance(limit, int):
            raise ProtocolError("GET is not valid")
        self._asked.append(self._send_file(file_id, request.get("root"), path, limit))

    def _send_listing(self, listing):
        entries, cost = [], 0
        for entry in listing:
            entries.append(entry)
            cost += CHARACTER_COST * len(entry[0]) + ENTRY_COST
            if cost >= LISTING_FRAME:
                self._channel.send_json(ToHost.LISTING, {"entries": entries, "more": True, "truncated": False})
                entries, cost = [], 0
                yield
        last = {"entries": entries, "more": False, "truncated": listing.truncated}
        self._channel.send_json(ToHost.LISTING, last)

    def _send_file(self, file_id, root, path, limit):
        end = {}
        try:
            reader = FileReader(root, path, limit)
            try:
                while data := reader.read():
                    self._channel.send(ToHost.FILE_DATA, data, file_id)
                    yield
            finally:
                reader.close()
            end = {"size": reader.size}
        except Refused as error:
            end = {"error": {"code": error.code, "message": str(error)}}
        self._channel.send_json(ToHost.FILE_END, end, file_id)

    @property
    def can_pump(self):
        """Whether there is something to say that the host would take."""
        return self.is_busy and self._channel.pending_bytes < HIGH_WATER

    def pump(self):
        """Says a few frames more."""
        for _ in range(FRAMES_A_TURN):
            if not self.can_pump:
                return
            try:
                next(self._asked[0])
            except StopIteration:
                self._asked.popleft()
