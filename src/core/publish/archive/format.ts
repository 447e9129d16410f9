/** The form of an export's lines; another one is refused. */
export const FORMAT = 1
