/** Minimum bytes of a JWT secret. */
export const MIN_JWT_SECRET = 32
/** Minimum bytes of WORKER_SECRET. RFC 7518, section 3.2, requires 32, but engines in use share shorter secrets. */
export const MIN_WORKER_SECRET = 16
