/** The published module of a code tool; what it exports is not known. */
declare const tool: Readonly<Record<string, unknown>>
export = tool
