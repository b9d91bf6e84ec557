/* SPDX-License-Identifier: MIT */
#include "formats/imd_link.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/portable.h"
#include "io/fdio.h"

#define RETRY_SECONDS 0.05
/* Times in seconds and tries of TCP keep-alive, which detects a lost host within two minutes. */
enum { ALIVE_IDLE = 60, ALIVE_EVERY = 10, ALIVE_TIMES = 6 };
enum { DISCONNECT = 0, GO = 3, HANDSHAKE_BYTES = 8, SESSION_BYTES = 15 };

struct imd_link {
    int fd;
    double silence;
    bool over;
    char why[ERR_BYTES / 2];
};

/* Splits an address into host[256] and port. Returns 0 or -1. */
static int split(const char *address, char *host, const char **port, struct err *e)
{
    const char *colon = strrchr(address, ':'), *from = address, *to = colon;
    char *end;
    long n = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && *from == '[' && colon > address && colon[-1] == ']') {
        from++;
        to--;
    }
    if (!colon || n < 1 || n > 65535 || *end || colon[1] < '0' || colon[1] > '9' || to - from > 255)
        return err_bad(e, "expected HOST:PORT of an engine, found '%s'", address);
    snprintf(host, 256, "%.*s", (int)(to - from), from);
    *port = colon + 1;
    return 0;
}

/* Tries to connect to one address once. Returns a descriptor, or -1 and sets errno. */
static int try_one(const struct addrinfo *a, double until)
{
    int fd = fdio_above_two(portable_tcp(a->ai_family));
    int error = 0;
    socklen_t n = sizeof error;
    if (fd < 0)
        return -1;
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
        error = errno;
        if (error == EINPROGRESS)
            error = !fdio_ready(fd, POLLOUT, until)                         ? ETIMEDOUT
                    : getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0 ? errno
                                                                            : error;
    }
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

/* Connects. Returns a descriptor, or -1 and sets *e. */
static int dial(const char *address, double wait, struct err *e)
{
    char host[256];
    const char *port = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
    double until = fdio_now() + wait;
    if (split(address, host, &port, e) != 0)
        return -1;
    int rc = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (rc != 0)
        return err_set(e, rc == EAI_NONAME ? ERR_BAD : ERR_MACHINE, "%s: %s", address,
                       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
    for (;;) {
        int fd = -1;
        for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
            fd = try_one(a, until);
        if (fd >= 0) {
            freeaddrinfo(found);
            return fd;
        }
        int error = errno;
        if (fdio_now() + RETRY_SECONDS > until) {
            freeaddrinfo(found);
            return err_set(e, ERR_MACHINE,
                           "%s: expected a listening engine within %g s (--wait), found none: %s",
                           address, wait, strerror(error));
        }
        (void)poll(NULL, 0, (int)(RETRY_SECONDS * 1e3));
    }
}

/* Waits for n bytes without removing them from the socket. Returns their number, which is smaller
 * if the engine ends, or -1. */
static ssize_t await(int fd, unsigned char *p, int n, double until)
{
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &n, sizeof n); /* minimum for poll() */
    ssize_t got = -1;
    errno = ETIMEDOUT;
    if (fdio_ready(fd, POLLIN, until))
        do
            got = recv(fd, p, (size_t)n, MSG_PEEK);
        while (got < 0 && errno == EINTR);
    int error = errno;
    n = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &n, sizeof n);
    errno = error;
    return got;
}

/* Sends a packet without a body. Returns whether it was sent. */
static bool say(int fd, unsigned char type)
{
    const unsigned char p[8] = {0, 0, 0, type};
    return send(fd, p, sizeof p, MSG_NOSIGNAL) == sizeof p;
}

/* Waits for the handshake and sends the start signal, for which the engine waits at most one
 * second. Other data remain in the socket, and the reader refuses them. Returns 0 or -1. */
static int shake_hands(int fd, const char *address, double until, struct err *e)
{
    unsigned char p[SESSION_BYTES + HANDSHAKE_BYTES];
    ssize_t got = await(fd, p, HANDSHAKE_BYTES, until);
    bool third = got == HANDSHAKE_BYTES && p[3] == 4 && (p[4] == 3 || p[7] == 3);
    if (third)
        got = await(fd, p, SESSION_BYTES + HANDSHAKE_BYTES, until);
    const char *closed = "the engine closed the connection (is another client connected?)";
    if (got <= 0)
        return err_set(e, got < 0 && errno == ETIMEDOUT ? ERR_MACHINE : ERR_BAD,
                       "%s: expected the handshake of an engine within the time of --wait: %s",
                       address, got < 0 ? strerror(errno) : closed);
    if (third && !say(fd, GO))
        return err_bad(e, "%s: cannot send the start signal to the engine: %s", address,
                       strerror(errno));
    return 0;
}

struct imd_link *imd_link_open(const char *address, double wait, double silence, struct err *e)
{
    struct imd_link *l = calloc(1, sizeof *l);
    double until = fdio_now() + wait;
    static const int on = 1, idle = ALIVE_IDLE, every = ALIVE_EVERY, times = ALIVE_TIMES;
    if (!l) {
        err_memory(e, "the connection");
        return NULL;
    }
    l->silence = silence;
    l->fd = dial(address, wait, e);
    if (l->fd < 0 || shake_hands(l->fd, address, until, e) != 0) {
        if (l->fd >= 0)
            close(l->fd);
        free(l);
        return NULL;
    }
    (void)setsockopt(l->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(l->fd, IPPROTO_TCP, PORTABLE_KEEP_IDLE, &idle, sizeof idle);
    (void)setsockopt(l->fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    (void)setsockopt(l->fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    return l;
}

int imd_link_fd(const struct imd_link *l)
{
    return l->fd;
}

ssize_t imd_link_read(void *link, void *p, size_t n)
{
    struct imd_link *l = link;
    struct fdio io = {.fd = l->fd};
    ssize_t got = l->over ? 0 : fdio_read(&io, p, n, l->silence > 0.0 ? l->silence : -1.0);
    if (got == FDIO_NOTHING_YET)
        snprintf(l->why, sizeof l->why, "nothing was received for %g s", l->silence);
    else if (got < 0)
        snprintf(l->why, sizeof l->why, "%s", strerror(io.error));
    l->over = got <= 0;
    return got > 0 ? got : 0;
}

const char *imd_link_why(void *link)
{
    const struct imd_link *l = link;
    return l->why[0] ? l->why : NULL;
}

void imd_link_close(struct imd_link *l)
{
    if (!l)
        return;
    if (!l->over)
        (void)say(l->fd, DISCONNECT);
    close(l->fd);
    free(l);
}
