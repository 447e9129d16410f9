/** The published module, of unknown exports. */
declare const tool: Readonly<Record<string, unknown>>
export = tool
