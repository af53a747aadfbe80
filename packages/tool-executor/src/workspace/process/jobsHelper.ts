/**
 * The helper of `WindowsJobs` on Windows: a few calls of the system, which the PowerShell that comes with it compiles.
 *
 * The source is C# 5. A process that was started before its parent was in the job is found by its parent and its time,
 * until no more are found.
 */
import * as path from "node:path"
import type { Helper } from "./WindowsJobs.ts"

/** https://learn.microsoft.com/windows/win32/procthread/job-objects */
const source = `
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

public static class BelayJobs {
  [StructLayout(LayoutKind.Sequential)]
  struct Basic {
    public long PerProcessUserTime, PerJobUserTime;
    public uint Flags;
    public UIntPtr MinimumWorkingSet, MaximumWorkingSet;
    public uint ActiveProcesses;
    public UIntPtr Affinity;
    public uint Priority, Scheduling;
  }
  [StructLayout(LayoutKind.Sequential)]
  struct Extended {
    public Basic Basic;
    public ulong ReadOperations, WriteOperations, OtherOperations, ReadBytes, WriteBytes, OtherBytes;
    public UIntPtr ProcessMemory, JobMemory, PeakProcessMemory, PeakJobMemory;
  }
  [StructLayout(LayoutKind.Sequential)]
  struct Accounting {
    public long UserTime, KernelTime, PeriodUserTime, PeriodKernelTime;
    public uint PageFaults, TotalProcesses, ActiveProcesses, TerminatedProcesses;
  }
  [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
  struct Entry {
    public uint Size, Usage, ProcessId;
    public IntPtr Heap;
    public uint Module, Threads, ParentId;
    public int Priority;
    public uint Flags;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 260)] public string File;
  }

  [DllImport("kernel32.dll", CharSet = CharSet.Unicode)] static extern IntPtr CreateJobObjectW(IntPtr attributes, string name);
  [DllImport("kernel32.dll")] static extern bool SetInformationJobObject(IntPtr job, int kind, ref Extended information, int length);
  [DllImport("kernel32.dll")] static extern bool QueryInformationJobObject(IntPtr job, int kind, out Accounting information, int length, IntPtr returned);
  [DllImport("kernel32.dll")] static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);
  [DllImport("kernel32.dll")] static extern bool IsProcessInJob(IntPtr process, IntPtr job, out bool result);
  [DllImport("kernel32.dll")] static extern bool TerminateJobObject(IntPtr job, uint code);
  [DllImport("kernel32.dll")] static extern bool CloseHandle(IntPtr handle);
  [DllImport("kernel32.dll")] static extern IntPtr OpenProcess(uint access, bool inherit, uint id);
  [DllImport("kernel32.dll")] static extern bool GetProcessTimes(IntPtr process, out long created, out long exited, out long kernel, out long user);
  [DllImport("kernel32.dll")] static extern IntPtr CreateToolhelp32Snapshot(uint flags, uint id);
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode)] static extern bool Process32FirstW(IntPtr snapshot, ref Entry entry);
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode)] static extern bool Process32NextW(IntPtr snapshot, ref Entry entry);

  // PROCESS_SET_QUOTA, PROCESS_TERMINATE, PROCESS_QUERY_LIMITED_INFORMATION
  const uint rights = 0x0100 | 0x0001 | 0x1000;
  const uint killOnClose = 0x2000;

  static readonly Dictionary<int, IntPtr> jobs = new Dictionary<int, IntPtr>();

  static IntPtr Make() {
    IntPtr job = CreateJobObjectW(IntPtr.Zero, null);
    if (job == IntPtr.Zero) return job;
    Extended limits = new Extended();
    limits.Basic.Flags = killOnClose;
    if (SetInformationJobObject(job, 9, ref limits, Marshal.SizeOf(typeof(Extended)))) return job;
    CloseHandle(job);
    return IntPtr.Zero;
  }

  // When it was created; -1 when it could not be taken in.
  static long Take(IntPtr job, uint id, long notBefore) {
    IntPtr process = OpenProcess(rights, false, id);
    if (process == IntPtr.Zero) return -1;
    try {
      long created, exited, kernel, user;
      if (!GetProcessTimes(process, out created, out exited, out kernel, out user) || created < notBefore) return -1;
      bool isIn;
      if (IsProcessInJob(process, job, out isIn) && isIn) return created;
      return AssignProcessToJobObject(job, process) ? created : -1;
    } finally { CloseHandle(process); }
  }

  static bool TakeChildren(IntPtr job, Dictionary<uint, long> taken) {
    bool more = false;
    IntPtr snapshot = CreateToolhelp32Snapshot(2, 0);
    if (snapshot == new IntPtr(-1)) return false;
    try {
      Entry entry = new Entry();
      entry.Size = (uint)Marshal.SizeOf(typeof(Entry));
      for (bool found = Process32FirstW(snapshot, ref entry); found; found = Process32NextW(snapshot, ref entry)) {
        long parent;
        if (taken.ContainsKey(entry.ProcessId) || !taken.TryGetValue(entry.ParentId, out parent)) continue;
        long created = Take(job, entry.ProcessId, parent);
        if (created < 0) continue;
        taken[entry.ProcessId] = created;
        more = true;
      }
    } finally { CloseHandle(snapshot); }
    return more;
  }

  static int Hold(int id, uint process) {
    IntPtr job = Make();
    if (job == IntPtr.Zero) return -1;
    long created = Take(job, process, 0);
    if (created < 0) { CloseHandle(job); return -2; }
    Dictionary<uint, long> taken = new Dictionary<uint, long>();
    taken[process] = created;
    while (TakeChildren(job, taken)) { }
    lock (jobs) jobs[id] = job;
    return 0;
  }

  static int Active(IntPtr job) {
    Accounting found;
    return QueryInformationJobObject(job, 1, out found, Marshal.SizeOf(typeof(Accounting)), IntPtr.Zero) ? (int)found.ActiveProcesses : -1;
  }

  static int Wait(IntPtr job, int milliseconds) {
    int left = Active(job);
    for (int waited = 0; left > 0 && waited < milliseconds; waited += 10) { Thread.Sleep(10); left = Active(job); }
    return left;
  }

  static int End(int id) {
    IntPtr job;
    lock (jobs) { if (!jobs.TryGetValue(id, out job)) return -1; jobs.Remove(id); }
    TerminateJobObject(job, 1);
    int left = Wait(job, 10000);
    CloseHandle(job);
    return left;
  }

  static int Count(int id) {
    IntPtr job;
    lock (jobs) { if (!jobs.TryGetValue(id, out job)) return -1; }
    return Wait(job, 250);
  }

  static int Answer(string what, string argument) {
    if (what == "hold") return -3;
    return what == "end" ? End(int.Parse(argument)) : what == "count" ? Count(int.Parse(argument)) : -4;
  }

  static void Say(string line) { lock (Console.Out) { Console.Out.WriteLine(line); Console.Out.Flush(); } }

  public static void Serve() {
    Say("ready");
    for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine()) {
      string[] words = line.Split(' ');
      if (words.Length != 3) continue;
      int id = int.Parse(words[0]);
      // At once: what the process starts meanwhile is not in the job.
      if (words[1] == "hold") { Say(words[0] + " " + Hold(id, uint.Parse(words[2]))); continue; }
      ThreadPool.QueueUserWorkItem(delegate {
        int number = -5;
        try { number = Answer(words[1], words[2]); } catch (Exception) { }
        Say(words[0] + " " + number);
      });
    }
  }
}
`

/** Compiles the source and serves; no double quotes, which a command line of Windows would have to carry. */
export const helper = (): Helper => {
  const encoded = Buffer.from(source, "utf8").toString("base64")
  const text = `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${encoded}'))`
  const script = `$ErrorActionPreference = 'Stop'; Add-Type -TypeDefinition (${text}); [BelayJobs]::Serve()`
  const root = process.env["SystemRoot"] ?? "C:\\Windows"
  return {
    program: path.win32.join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe"),
    args: ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script]
  }
}
