/** `switchboard/client`: finds and calls the tools of a Switchboard, wherever there is `fetch`. */
export {
  createClient,
  type Filter,
  type SearchOptions,
  Switchboard,
  type SwitchboardOptions,
  type ToolDefinition,
  type ToolPage,
  type TypedSwitchboard,
} from './switchboard.ts'
export {
  type Challenge,
  type ErrorCode,
  type ErrorDetails,
  type MissingRequirements,
  SwitchboardError,
} from './switchboard-error.ts'
export type { CallOptions, CallResult, ToolProgress } from './call.ts'
