declare const tool: Readonly<Record<string, unknown>>
export = tool
