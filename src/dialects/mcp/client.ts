import type { Principal } from '../../core/access/principal.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { Toolset } from './toolset.ts'

/** The client that sent a request: as whom, how, and which tools its URL chooses. */
export interface Client {
  readonly request: Request
  readonly principal: Principal
  readonly background: Background
  readonly toolset: Toolset
}
