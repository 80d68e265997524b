"""A fork made ahead, which waits for its job: a program that comes does not wait for the fork."""

import marshal
import os

from pipes import JobFeed
from places import SANDBOX
from processes import become_program, give_up, make_pipe

# Where the fork finds its job; free again before the program starts.
_JOB_FD = 102


class PreparedFork:
    """The process of the next program. In it `become` is called with the job, and never returns."""

    def __init__(self, become, cwd=SANDBOX):
        self._become = become
        self._cwd = cwd
        self._pid = self._job_write = self._feed = None

    def prepare(self, descriptors):
        """Forks; the fork has the descriptors, and waits."""
        job_read, self._job_write = make_pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(job_read)
            return
        try:
            become_program({**descriptors, _JOB_FD: job_read}, self._cwd)
            with open(_JOB_FD, "rb") as pipe:
                job = pipe.read()
            if not job:
                os._exit(0)
            job = marshal.loads(job)
        except BaseException as error:  # the fork must never go on as a guest
            give_up(f"the program could not be started: {error}")
        self._become(*job)

    def begin(self, job, descriptors, loop):
        """Hands the fork its job, a tuple that `marshal` takes, and returns its process id."""
        if self._pid is None:
            self.prepare(descriptors)
        pid, self._pid = self._pid, None
        self._feed = JobFeed(self._job_write, marshal.dumps(job), loop)
        return pid

    def dismiss(self):
        """Lets the fork go that waits: no job will come."""
        if self._pid is not None:
            self._pid = None
            os.close(self._job_write)

    def on_ended(self, ended):
        """Memory may have run out before the program came: there will be another fork for it."""
        if self._pid in ended:
            self._pid = None
            os.close(self._job_write)

    def end(self):
        """The program has ended: what it has not taken is given up."""
        self._feed.close()
