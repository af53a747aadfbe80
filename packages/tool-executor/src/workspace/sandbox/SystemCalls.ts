/**
 * The system calls that a confined command cannot make: a program for the kernel's filter, as bubblewrap takes it.
 * https://docs.kernel.org/userspace-api/seccomp_filter.html
 *
 * What is refused is what a box is broken out of with, or what looks into other processes; builds and tests need none of
 * it. A refused call fails with EPERM, so that a program that only tries goes on; `clone3` with ENOSYS, whose arguments a
 * filter cannot see, so that the C library takes `clone`. Numbers: `asm/unistd_64.h` for x86-64, `asm-generic/unistd.h`
 * for arm64.
 */

/** Numbers on x86-64 and on arm64; none where the machine does not have the call. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

export const refused: Readonly<Record<string, Numbers>> = {
  // The file system as the command sees it: what is covered or read-only stays so.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  open_by_handle_at: [304, 265],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  fanotify_init: [300, 262],
  // Other namespaces.
  setns: [308, 268],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  // Keys of the kernel, which no namespace holds apart.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Parts of the kernel that most ways out of a box began with.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42]
}

interface Machine {
  readonly index: 0 | 1
  /** `AUDIT_ARCH_X86_64`, `AUDIT_ARCH_AARCH64`. */
  readonly audit: number
  readonly clone: number
  readonly clone3: number
  readonly unshare: number
  readonly socket: number
  readonly ioctl: number
  readonly personality: number
}

const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: { index: 0, audit: 0xc000003e, clone: 56, clone3: 435, unshare: 272, socket: 41, ioctl: 16, personality: 135 },
  arm64: { index: 1, audit: 0xc00000b7, clone: 220, clone3: 435, unshare: 97, socket: 198, ioctl: 29, personality: 92 }
}

/** Every `CLONE_NEW*` but that of times, which shares its bit with a signal of `clone`. */
const newNamespaces = 0x7e020000

/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: a virtual machine's own sockets know no network namespace. */
const families: ReadonlyArray<number> = [0, 1, 2, 10, 16]

/** TIOCSTI and TIOCLINUX put words into a terminal's mouth. */
const terminalControls: ReadonlyArray<number> = [0x5412, 0x541c]

/** PER_LINUX, PER_LINUX32, UNAME26, both, and the question which one it is. */
const personalities: ReadonlyArray<number> = [0, 0x8, 0x20000, 0x20008, 0xffffffff]

/** Calls of x32 have this bit; they would pass as other ones. */
const x32 = 0x40000000

/** One instruction: code, where to go when true and when false, and a value. `linux/filter.h` */
type Instruction = readonly [code: number, yes: number, no: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const number = load(0)
const architecture = load(4)
/** The low half: the machines are little-endian. */
const argument = (index: number): Instruction => load(16 + 8 * index)
const give = (value: number): Instruction => [0x06, 0, 0, value]
const allow = give(0x7fff0000)
const fail = (error: number): Instruction => give(0x00050000 | error)
const [notPermitted, notSupported, noFamily] = [fail(1), fail(38), fail(97)]

/** Skips what follows unless the value is that. */
const when = (value: number, then: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [0x15, 0, then.length, value],
  ...then
]
const whenAtLeast = (value: number, then: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [0x35, 0, then.length, value],
  ...then
]
const whenAny = (bits: number, then: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [0x45, 0, then.length, bits],
  ...then
]

const onlyThese = (values: ReadonlyArray<number>, otherwise: Instruction): ReadonlyArray<Instruction> => [
  ...values.flatMap((value) => when(value, [allow])),
  otherwise
]

const program = (machine: Machine): ReadonlyArray<Instruction> => [
  architecture,
  [0x15, 1, 0, machine.audit],
  notSupported,
  number,
  ...(machine.index === 0 ? whenAtLeast(x32, [notPermitted]) : []),
  ...Object.values(refused).flatMap((numbers) => {
    const call = numbers[machine.index]
    return call === undefined ? [] : when(call, [notPermitted])
  }),
  ...when(machine.clone3, [notSupported]),
  ...[machine.clone, machine.unshare].flatMap((call) =>
    when(call, [argument(0), ...whenAny(newNamespaces, [notPermitted]), allow])
  ),
  ...when(machine.socket, [argument(0), ...onlyThese(families, noFamily)]),
  ...when(machine.personality, [argument(0), ...onlyThese(personalities, notPermitted)]),
  ...when(machine.ioctl, [argument(1), ...terminalControls.flatMap((control) => when(control, [notPermitted])), allow]),
  allow
]

/** The program as bytes; nothing for a machine that it is not written for. */
export const filter = (architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined => {
  const machine = machines[architecture]
  if (machine === undefined) return undefined
  const instructions = program(machine)
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8))
  instructions.forEach(([code, yes, no, value], index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, yes)
    bytes.setUint8(index * 8 + 3, no)
    bytes.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
