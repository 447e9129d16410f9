/** The fewest bytes that a secret of JWTs may have. */
export const MIN_JWT_SECRET = 32
/** The fewest bytes of WORKER_SECRET. RFC 7518, section 3.2, asks for 32, but engines in use share shorter secrets. */
export const MIN_WORKER_SECRET = 16
