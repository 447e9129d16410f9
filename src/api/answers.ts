import type { Json } from '../core/tool/json.ts'
import type { EncodeResult } from '../core/tool/codec.ts'
import type { RecordAnswers } from './calls/wire.ts'
import type { FindingAnswers } from './findings/routes.ts'
import type { KeyAnswers } from './keys/routes.ts'
import type { PolicyAnswers } from './policies/routes.ts'
import type { ProviderAnswers } from './providers/routes.ts'
import type { SessionAnswers } from './sessions/routes.ts'
import type { SetupAnswers } from './setup/routes.ts'
import type { SkillAnswers } from './skills/routes.ts'
import type { ToolsetAnswers } from './toolsets/routes.ts'
import type { ImportAnswers } from './toolkits/import/wire.ts'
import type { ToolkitAnswers } from './toolkits/wire.ts'
import type { ImplementationAnswers } from './tools/implementation/routes.ts'
import type { ToolAnswers } from './tools/wire.ts'
import type { UserAccessAnswers } from './users/access/routes.ts'
import type { AgentAnswers } from './users/agents/routes.ts'
import type { AccountLinkAnswers } from './users/connect/routes.ts'
import type { GrantAnswers } from './users/routes.ts'

export type ApiAnswers = RecordAnswers &
  FindingAnswers &
  KeyAnswers &
  PolicyAnswers &
  ProviderAnswers &
  SessionAnswers &
  SetupAnswers &
  SkillAnswers &
  ImportAnswers &
  ToolkitAnswers &
  ToolsetAnswers &
  ImplementationAnswers &
  ToolAnswers &
  AgentAnswers &
  UserAccessAnswers &
  GrantAnswers &
  AccountLinkAnswers &
  DefinitionAnswers

interface DefinitionAnswers {
  'GET /tools/:id?losses=1': EncodeResult
  'GET /tools/:id?format=oxp-flat': {
    readonly name: string
    readonly description: string
    readonly input_schema: Json
    readonly output_schema: Json
    readonly requirements?: {
      readonly authorization?: readonly { readonly id: string }[]
      readonly secrets?: readonly { readonly id: string }[]
      readonly user_id?: boolean
    }
  }
}
