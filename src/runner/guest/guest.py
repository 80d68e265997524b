"""The guest's state machine: frames from the host, the end of the program, the lease."""

import time

import loop as events
from execution import Execution, RuntimeLost, end_without_program
from files import FileService
from frames import NONCE_SIZE, FrameDecoder, ProtocolError, ToGuest, ToHost, decode_json
from late_import import import_guest
from pipes import ProgramPipes
from processes import drain_wakeup, end_everything, reap
from reset import Birth, NotClean
from staging import StageError

TICK_SECONDS = 0.1
EXIT_BYE, EXIT_FATAL, EXIT_ABANDONED = 0, 1, 2


class Guest:
    """
    Serves a run and then its files, and another one after a reset; ends itself when its owner is gone.

    Where the first run is the call of a session, every run is.
    """

    def __init__(self, runtime, pipes, channel, wakeup_fd, lease_ms, ready):
        self._runtime = runtime
        self._pipes = pipes
        self._channel = channel
        self._wakeup_fd = wakeup_fd
        self._lease = lease_ms / 1000
        self._ready = ready
        self._birth = Birth()
        self._is_first = self._is_new = True
        self._loop = events.Loop()
        self._decoder = FrameDecoder()
        self._execution = None
        self._session = None
        self._state = "idle"
        self._files = FileService(channel)
        self._arrangement = None
        self._exit = None
        self._handlers = {
            ToGuest.RUN: self._on_run,
            ToGuest.CODE: lambda _, data: self._expect("staging").code.extend(data),
            ToGuest.INPUT: lambda _, data: self._expect("staging").inputs.extend(data),
            ToGuest.STDIN: lambda _, data: self._expect("staging").stdin.extend(data),
            ToGuest.FILE: self._on_file,
            ToGuest.FILE_DATA: self._on_file_data,
            ToGuest.START: self._on_start,
            ToGuest.KILL: self._on_kill,
            ToGuest.LIST: self._on_list,
            ToGuest.GET: self._on_get,
            ToGuest.RENEW: self._on_renew,
            ToGuest.BYE: lambda *_: self._leave(EXIT_BYE),
            ToGuest.RESET: self._on_reset,
            ToGuest.NEXT: self._on_next,
            ToGuest.ARRANGE: self._on_arrange,
            ToGuest.PART: self._on_part,
            ToGuest.ATTACH: self._on_attach,
        }

    def serve(self):
        """Runs until the host says BYE or is gone; returns the exit code."""
        self._loop.watch(self._channel.in_fd, events.READ, self._on_host)
        self._loop.watch(self._wakeup_fd, events.READ, self._on_child)
        self._renew()
        self._loop.call_later(self._lease, self._check_lease)
        while self._exit is None:
            self._loop.run_once(idle=not self._files.can_pump)
            self._files.pump()
            self._watch_host_output()
        end_everything(self._wakeup_fd)
        self._channel.drain(1.0)
        return self._exit

    def _leave(self, code):
        if self._exit is None:
            self._exit = code

    def _expect(self, state):
        if self._state != state or self._execution is None:
            raise ProtocolError(f"frame is not allowed while {self._state}")
        return self._execution

    # The host

    def _on_host(self):
        data = self._channel.read()
        if data is None:
            return
        if not data:
            self._leave(EXIT_ABANDONED)
            return
        try:
            for kind, stream_id, payload in self._decoder.feed(data, self._may_break_off):
                handler = self._handlers.get(kind)
                if handler is None:
                    raise ProtocolError(f"unknown frame type {kind:#04x}")
                self._renew()
                handler(stream_id, payload)
        except ProtocolError as error:
            self._fail(error)

    def _may_break_off(self):
        # While files of a run come, their bytes may look like anything; a program that has not started may start elsewhere.
        if self._arrangement is not None:
            return True
        return self._state in ("running", "ended") or (self._state == "idle" and self._session is not None)

    def _on_attach(self, _, nonce):
        if len(nonce) != NONCE_SIZE:
            raise ProtocolError("ATTACH is not valid")
        self._files.forget()
        self._channel.forget()
        self._channel.send(ToHost.ATTACHED, nonce)
        execution, has_run = self._execution, self._execution is not None and self._execution.pid is not None
        facts = {"state": self._state, "elapsedMs": execution.elapsed_ms() if has_run else None}
        facts["executionId"] = None if execution is None else execution.spec["executionId"]
        facts["call"] = None if self._session is None else self._session.call
        self._channel.send_json(ToHost.STATE, facts)
        if has_run:
            execution.say_again()
        elif self._state == "idle" and self._arrangement is not None:
            self._drop_arrangement()
        elif execution is not None:
            # Whoever takes over what has not started begins elsewhere: a START of the host before comes too late.
            self._state = "ended"

    def _fail(self, error):
        self._channel.send_json(ToHost.FATAL, {"message": str(error)})
        self._leave(EXIT_FATAL)

    def _renew(self):
        self._lease_end = time.monotonic() + self._lease

    def _check_lease(self):
        left = self._lease_end - time.monotonic()
        if left <= 0:
            self._leave(EXIT_ABANDONED)
        else:
            self._loop.call_later(left, self._check_lease)

    def _on_renew(self, _, payload):
        lease_ms = decode_json(payload).get("leaseMs")
        if isinstance(lease_ms, (int, float)) and lease_ms > 0:
            self._lease = lease_ms / 1000
            self._renew()
            # The pending check may lie far beyond a lease that became shorter.
            self._loop.call_later(self._lease, self._check_lease)

    def _watch_host_output(self):
        if self._channel.pending_bytes:
            self._loop.watch(self._channel.out_fd, events.WRITE, self._channel.flush)
        else:
            self._loop.unwatch(self._channel.out_fd)

    # The run

    def _on_run(self, _, payload):
        if self._state != "idle" or self._arrangement is not None:
            raise ProtocolError("a second RUN")
        spec = decode_json(payload)
        if spec.get("language") not in self._runtime.languages:
            raise ProtocolError("RUN names a language of another runtime")
        self._execution = self._announce(spec)
        self._state, self._is_new = "staging", False

    def _announce(self, spec):
        if spec.get("session") is None:
            if self._session is not None:
                raise ProtocolError("RUN without a session, in a session")
            return Execution(spec, self._is_first)
        if self._session is None:
            if not self._is_new:
                raise ProtocolError("RUN of a session, where programs ran without")
            make_session = import_guest("session").Session
            self._session = make_session(self._runtime, self._pipes, self._channel, self._loop, self._wakeup_fd, self._over)
        return self._session.admit(spec)

    def _over(self):
        self._state = "ended"

    def _on_file(self, file_id, payload):
        staging = (self._arrangement or self._expect("staging")).staging
        facts = decode_json(payload)
        self._stage(lambda: staging.begin(file_id, facts.get("path"), facts.get("size")))

    def _on_file_data(self, file_id, payload):
        staging = self._expect("staging").staging
        self._stage(lambda: staging.write(file_id, payload))

    def _stage(self, action):
        try:
            action()
        except StageError as error:
            facts = {"path": error.path, "code": error.code, "message": str(error)}
            self._channel.send_json(ToHost.STAGE_ERROR, facts)

    def _on_start(self, *_):
        if self._arrangement is not None:
            self._end_arrangement()
            return
        execution = self._expect("staging")
        if not execution.staging.finish():
            if execution.staging.failed:
                return
            raise ProtocolError("START before every file was complete")
        self._stage(lambda: self._run(execution))

    def _run(self, execution):
        execution.start(self._runtime, self._pipes, self._channel, self._loop)
        self._state = "running"
        self._loop.call_later(TICK_SECONDS, lambda: self._tick(execution))

    def _tick(self, execution):
        if self._state != "running" or self._execution is not execution:
            return
        if self._execution.oom_kills() > 0:
            # What the kernel killed may be a worker that the program waits for and will never hear of.
            self._end(None)
            return
        self._execution.preview()
        self._loop.call_later(TICK_SECONDS, lambda: self._tick(execution))

    def _on_child(self):
        drain_wakeup(self._wakeup_fd)
        ended, _ = reap()
        if self._session is not None:
            self._session.on_ended(ended)
            return
        try:
            self._runtime.on_ended(ended)
        except RuntimeLost as error:
            self._fail(error)
            return
        if self._state == "running" and self._execution.pid in ended:
            self._end(None, ended)

    def _on_kill(self, _, payload):
        reason = decode_json(payload).get("reason")
        if self._state == "running":
            self._end(reason)
        elif self._state != "ended":
            self._state = "ended"
            facts = None if self._session is None else self._session.untouched()
            self._channel.send_json(ToHost.END, end_without_program(reason, facts))

    def _end(self, kill_reason, ended=None):
        if self._session is not None:
            self._session.end(kill_reason)
            return
        statuses = ended or {}
        statuses |= end_everything(self._wakeup_fd)
        self._state = "ended"
        self._execution.finish(statuses[self._execution.pid], kill_reason)

    def _on_reset(self, *_):
        if self._state != "ended" or self._files.is_busy or self._session is not None:
            raise ProtocolError("RESET before a run and its files were over, or of a session")
        try:
            if self._execution is None or self._execution.pid is None:
                raise NotClean("no program ran")
            end_everything(self._wakeup_fd)
            self._birth.restore()
            self._pipes = ProgramPipes()
            self._runtime.renew(self._pipes)
        except (NotClean, RuntimeError, OSError) as error:
            self._fail(f"the sandbox is not as it was born: {error}")
            return
        self._execution, self._is_first, self._state = None, False, "idle"
        self._channel.send_json(ToHost.READY, self._ready)

    def _on_next(self, _, payload):
        if self._session is None or self._state == "running" or self._files.is_busy:
            raise ProtocolError("NEXT before a call and its files were over")
        rollback = decode_json(payload).get("rollback")
        if rollback is not None and not isinstance(rollback, int):
            raise ProtocolError("NEXT is not valid")
        self._drop_arrangement()
        if self._execution is not None:
            # One that has not started never will; the files that it has brought stay.
            self._execution.staging.finish()
        self._execution, self._is_first, self._state = None, False, "idle"
        self._channel.send_json(ToHost.READY, {**self._ready, **self._session.next(rollback)})

    # Files, before a call

    def _on_arrange(self, _, payload):
        part = decode_json(payload)
        if part.get("first"):
            self._drop_arrangement()
            self._arrangement = import_guest("arrange").Arrangement()
        if self._state != "idle" or self._arrangement is None or self._arrangement.is_listed:
            raise ProtocolError("ARRANGE is not allowed now")
        self._arrangement.add(part.get("entries"))
        if not part.get("more"):
            self._answer_arrange(lambda: self._arrangement.clear())

    def _on_part(self, file_id, payload):
        if self._arrangement is None:
            raise ProtocolError("PART is not allowed now")
        data = self._arrangement.decode(decode_json(payload))
        self._stage(lambda: self._arrangement.staging.write(file_id, data))

    def _end_arrangement(self):
        arrangement = self._arrangement
        if not arrangement.is_listed:
            raise ProtocolError("START before the list was complete")
        self._arrangement = None
        self._answer_arrange(lambda: arrangement.finish() or [])

    def _answer_arrange(self, action):
        """Says what is missing, after what has failed."""
        missing = []

        def act():
            missing.extend(action())

        self._stage(act)
        self._channel.send_json(ToHost.ARRANGED, {"missing": missing})

    def _drop_arrangement(self):
        if self._arrangement is not None:
            # Closes what is open; the next one begins with what is there.
            self._arrangement.staging.finish()
            self._arrangement = None

    # Files, after the end

    def _on_list(self, _, payload):
        if self._state != "ended":
            raise ProtocolError("LIST is not valid")
        self._files.list(payload)

    def _on_get(self, file_id, payload):
        if self._state != "ended":
            raise ProtocolError("GET is not valid")
        self._files.get(file_id, payload)
