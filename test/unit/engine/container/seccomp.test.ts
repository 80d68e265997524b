import profile from '../../../../infra/seccomp.json';

const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
const unconditional = allowed.filter((entry) => !('args' in entry)).flatMap(({ names }) => names);

test('R04: what is not listed is refused, on native system calls of two architectures only', () => {
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(profile.archMap).toEqual([
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ]);
});

test('every entry says why, and its names are sorted', () => {
  for (const { comment, names } of profile.syscalls) {
    expect(comment.length).toBeGreaterThan(5);
    expect(names).toEqual([...names].sort());
  }
});

test('R04: no name is allowed twice, so that no condition is void', () => {
  expect(unconditional.filter((name, at) => unconditional.indexOf(name) !== at)).toEqual([]);
  const conditional = new Set(profile.syscalls.filter((entry) => 'args' in entry).flatMap(({ names }) => names));
  expect(unconditional.filter((name) => conditional.has(name))).toEqual([]);
  expect([...conditional].sort()).toEqual(['clone', 'personality', 'prlimit64', 'socket', 'socketpair']);
});

test.each([
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'bpf', 'perf_event_open', 'userfaultfd', 'memfd_secret'],
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd', 'kcmp'],
  ...['mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount', 'fsopen', 'fsconfig', 'fsmount', 'fspick'],
  ...['mount_setattr', 'unshare', 'setns', 'add_key', 'request_key', 'keyctl', 'modify_ldt', 'iopl', 'ioperm'],
  ...['name_to_handle_at', 'open_by_handle_at', 'quotactl', 'syslog', 'swapon', 'kexec_load', 'init_module', 'acct'],
  ...['clock_settime', 'settimeofday', 'sethostname', 'fanotify_init', 'io_setup', 'splice', 'vmsplice', 'tee'],
  ...['shmget', 'semget', 'msgget', 'mq_open', 'sync', 'syncfs', 'mbind', 'move_pages', 'lookup_dcookie', 'socketcall'],
])('R04: %s is not allowed', (name) => {
  expect(allowed.flatMap(({ names }) => names)).not.toContain(name);
});

/** Calls of x86-64 that arm64 never had, each with what its C library makes instead. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  access: 'faccessat',
  alarm: 'setitimer',
  chmod: 'fchmodat',
  chown: 'fchownat',
  creat: 'openat',
  dup2: 'dup3',
  epoll_create: 'epoll_create1',
  epoll_wait: 'epoll_pwait',
  eventfd: 'eventfd2',
  fork: 'clone',
  futimesat: 'utimensat',
  getdents: 'getdents64',
  getpgrp: 'getpgid',
  inotify_init: 'inotify_init1',
  lchown: 'fchownat',
  link: 'linkat',
  lstat: 'newfstatat',
  mkdir: 'mkdirat',
  mknod: 'mknodat',
  open: 'openat',
  pause: 'ppoll',
  pipe: 'pipe2',
  poll: 'ppoll',
  readlink: 'readlinkat',
  rename: 'renameat2',
  rmdir: 'unlinkat',
  select: 'pselect6',
  signalfd: 'signalfd4',
  stat: 'newfstatat',
  symlink: 'symlinkat',
  time: 'clock_gettime',
  unlink: 'unlinkat',
  utime: 'utimensat',
  utimes: 'utimensat',
  vfork: 'clone',
};

test('R04: what x86-64 does by calls that arm64 never had is allowed by those that arm64 has', () => {
  const listed = new Set(allowed.flatMap(({ names }) => names));
  expect(Object.entries(SUCCESSORS).filter(([old, successor]) => !listed.has(old) || !listed.has(successor))).toEqual(
    [],
  );
});

test('R04: no door of a second architecture is open beside the native one', () => {
  const listed = allowed.flatMap(({ names }) => names);
  const doors = [
    'socketcall',
    'ipc',
    'arm_fadvise64_64',
    'cacheflush',
    'breakpoint',
    'set_tls',
    'vm86',
    'modify_ldt',
    'uselib',
  ];
  expect(listed.filter((name) => doors.includes(name))).toEqual([]);
});
