/** `switchboard/client`: finds and calls the tools of a Switchboard, in any runtime with `fetch`. */
export type { Filter, SearchOptions, SwitchboardOptions } from './switchboard.ts'
export type { ToolDefinition, ToolPage, TypedSwitchboard } from './switchboard.ts'
export { createClient, Switchboard } from './switchboard.ts'
export type { Challenge, ErrorCode, ErrorDetails, MissingRequirements } from './switchboard-error.ts'
export { SwitchboardError } from './switchboard-error.ts'
export type { CallOptions, CallResult, ToolProgress } from './call.ts'
export type { AsyncCallOptions, AsyncCallState, WaitOptions } from './async-call.ts'
