// Notes what a process asks the system to write and to sync, in the order in which it asks: one line each,
// "write PATH OFFSET" or "sync PATH", in the file CALLS_FILE, for files whose path begins with CALLS_UNDER.
// Preloaded into Node (LD_PRELOAD), whose SQLite calls these functions of the C library.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *call, int fd, long long offset) {
  static const char *under = getenv("CALLS_UNDER");
  static const char *file = getenv("CALLS_FILE");
  static int log = under && file ? syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
  if (log < 0) return;
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  if (strncmp(path, under, strlen(under)) != 0) return;
  int size = snprintf(line, sizeof line, "%s %s %lld\n", call, path, offset);
  syscall(SYS_write, log, line, size);
}

template <typename F> static F real(const char *name) { return (F)dlsym(RTLD_NEXT, name); }

// A write is noted before it is made, a sync once it has succeeded.
extern "C" {
ssize_t write(int fd, const void *data, size_t size) {
  static auto next = real<ssize_t (*)(int, const void *, size_t)>("write");
  note("write", fd, -1);
  return next(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  static auto next = real<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite");
  note("write", fd, offset);
  return next(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  static auto next = real<ssize_t (*)(int, const void *, size_t, off64_t)>("pwrite64");
  note("write", fd, offset);
  return next(fd, data, size, offset);
}
int fsync(int fd) {
  static auto next = real<int (*)(int)>("fsync");
  int done = next(fd);
  if (done == 0) note("sync", fd, 0);
  return done;
}
int fdatasync(int fd) {
  static auto next = real<int (*)(int)>("fdatasync");
  int done = next(fd);
  if (done == 0) note("sync", fd, 0);
  return done;
}
}
