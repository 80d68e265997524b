import profile from '../../../../infra/seccomp.json';
import { NAMESPACES, REFUSED } from '../../../support/system-calls';

const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
/** Calls whose arguments decide. */
const SCHEDULING = ['sched_setattr', 'sched_setparam', 'sched_setscheduler'];
const CONDITIONAL = ['clone', 'personality', 'prlimit64', ...SCHEDULING, 'setpriority', 'socket', 'socketpair'];
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
  expect([...conditional].sort()).toEqual(CONDITIONAL);
});

const refused = new Set(REFUSED.flatMap(([name]) => name.split(' ', 1)).filter((name) => !CONDITIONAL.includes(name)));

test.each([...refused])('R04: %s is not allowed', (name) => {
  expect(allowed.flatMap(({ names }) => names)).not.toContain(name);
});

/** Each way in which a call is allowed: the conditions on its arguments that all have to hold. */
function waysOf(call: string): unknown[] {
  return allowed.filter(({ names }) => names.includes(call)).map((entry) => ('args' in entry ? entry.args : []));
}

test('R04: clone makes no namespace of any kind', () => {
  const mask = Object.values(NAMESPACES).reduce((flags, flag) => flags | flag, 0);
  expect(waysOf('clone')).toEqual([[{ index: 0, value: mask, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]]);
});

test('R04: limits and priorities are the caller’s own, and personality is the one that is there', () => {
  const is = (index: number, value: number): unknown => ({ index, value, op: 'SCMP_CMP_EQ' });
  const isFirst = (value: number): unknown => [is(0, value)];
  for (const call of ['prlimit64', ...SCHEDULING]) expect(waysOf(call)).toEqual([isFirst(0)]);
  expect(waysOf('setpriority')).toEqual([[is(0, 0), is(1, 0)]]);
  expect(waysOf('personality')).toEqual([isFirst(0), isFirst(0xffff_ffff)]);
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
