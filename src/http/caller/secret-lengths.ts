/** In bytes. */
export const MIN_JWT_SECRET = 32
/** Fewer than the 32 of RFC 7518 section 3.2: engines in use share shorter ones. */
export const MIN_WORKER_SECRET = 16
