/* What a program is told of its machine, by a library that is loaded before the C library: a wall clock that was set
 * or that drifts, and that there is no room for another process. The file that TOLD names says it at any moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000LL

/* As to_machine.py writes it. */
struct told {
    int64_t ahead_ns;
    double drift;
    int64_t since_ns; /* from here on, by the real wall clock */
    int64_t is_full;
};

static const struct told *told;

__attribute__((constructor)) static void open_told(void) {
    const char *path = getenv("TOLD");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(struct told), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) told = page;
    close(file);
}

/* What the program is told for a time of the real wall clock. */
static void change(struct timespec *found) {
    int64_t now_ns = found->tv_sec * SECOND_NS + found->tv_nsec;
    now_ns += told->ahead_ns + (int64_t)((double)(now_ns - told->since_ns) * told->drift);
    found->tv_sec = now_ns / SECOND_NS;
    found->tv_nsec = now_ns % SECOND_NS;
}

int clock_gettime(clockid_t id, struct timespec *found) {
    int result = (int)syscall(SYS_clock_gettime, id, found);
    if (result != 0 || !told || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
    change(found);
    return 0;
}

/* The kernel stamps packets by the same clock. */
ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    ssize_t size = ((ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg"))(socket, message, flags);
    if (size < 0 || !told) return size;
    for (struct cmsghdr *one = CMSG_FIRSTHDR(message); one; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(one), sizeof stamp);
        change(&stamp);
        memcpy(CMSG_DATA(one), &stamp, sizeof stamp);
    }
    return size;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *found) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}

pid_t fork(void) {
    if (told && told->is_full) {
        errno = EAGAIN;
        return -1;
    }
    return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}

/* A function of ours cannot return twice on one stack, as the real one does. */
pid_t vfork(void) { return fork(); }

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    if (told && told->is_full) return EAGAIN;
    return ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create"))(
        thread, how, run, with);
}
