/** Units of fuel, by measurement: all fuel buys less than a second's work, whatever a plugin spends it on. */
export const HOST_CALL = 600
export const COPIED_BYTE = 0.25
export const RANDOM_BYTE = 1
/** 17 ns where it is not valid UTF-8; 13 ns for a character that becomes bytes. */
export const DECODED_BYTE = 6
/** Some 30 ns, to JSON or from it. */
export const PARSED_BYTE = 10
