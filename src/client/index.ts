/** `switchboard/client`: finds and calls the tools of a Switchboard, from wherever there is `fetch`. */
export { Switchboard, type SwitchboardOptions } from './switchboard.ts'
export { type ErrorCode, type ErrorDetails, type Requirements, SwitchboardError } from './switchboard-error.ts'
export type { Challenge } from './challenge.ts'
export type { CallOptions, CallResult } from './call.ts'
export type { Progress } from './progress.ts'
export type { Filter, SearchOptions, ToolDefinition, ToolPage } from './tools.ts'
