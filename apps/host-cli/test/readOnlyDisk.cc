// A disk that is mounted read-only, for one process: what would change anything below READ_ONLY fails with EROFS.
// Preloaded into Node (LD_PRELOAD), which calls these functions of the C library.
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool below(const char *path) {
  static const char *folder = getenv("READ_ONLY");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

template <typename F> static F real(const char *name) { return (F)dlsym(RTLD_NEXT, name); }

static int refused() {
  errno = EROFS;
  return -1;
}

static bool changes(const char *path, int flags) {
  if (!below(path)) return false;
  struct stat found;
  bool is = stat(path, &found) == 0;
  return (flags & O_ACCMODE) != O_RDONLY ? is || (flags & O_CREAT) : !is && (flags & O_CREAT);
}

#define OPENS(NAME)                                                      \
  int NAME(const char *path, int flags, ...) {                           \
    static auto next = real<int (*)(const char *, int, ...)>(#NAME);     \
    if (changes(path, flags)) return refused();                          \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0;               \
    va_end(rest);                                                        \
    return next(path, flags, mode);                                      \
  }

#define CHANGES(NAME, PARAMETERS, ARGUMENTS)                             \
  int NAME PARAMETERS {                                                  \
    static auto next = real<int (*) PARAMETERS>(#NAME);                  \
    return below(path) ? refused() : next ARGUMENTS;                     \
  }

extern "C" {
OPENS(open)
OPENS(open64)
CHANGES(unlink, (const char *path), (path))
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(chmod, (const char *path, mode_t mode), (path, mode))
CHANGES(rename, (const char *path, const char *to), (path, to))
int access(const char *path, int mode) {
  static auto next = real<int (*)(const char *, int)>("access");
  return (mode & W_OK) && below(path) ? refused() : next(path, mode);
}
}
