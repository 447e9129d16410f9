/** Measured prices in units of fuel: a call's fuel pays for less than a second's work, whatever a plugin does with it. */
export const HOST_CALL = 600
export const COPIED_BYTE = 0.25
export const RANDOM_BYTE = 1
/** 17 ns if it is not valid UTF-8; 13 ns for a character that is encoded. */
export const DECODED_BYTE = 6
/** About 30 ns, to or from JSON. */
export const PARSED_BYTE = 10
