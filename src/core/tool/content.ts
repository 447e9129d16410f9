import type { Json, JsonObject } from './json.ts'

export type Content = (
  | { readonly type: 'text'; readonly text: string; readonly mimeType?: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType?: string }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri?: string; readonly mimeType?: string } & (
        { readonly text: string } | { readonly blob: string }
      )
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
      readonly size?: number
    }
) & { readonly annotations?: { readonly audience?: readonly ('user' | 'assistant')[]; readonly priority?: number } }

/** A large output that is stored elsewhere (Open Tool Calling RFC, "artifact"). */
export interface Artifact {
  readonly url: string
  readonly content_type: string
  readonly size: number
  readonly meta: { readonly description: string }
}

/** Requests of a tool to its caller (MCP 2026-07-28, multi-round-trip requests). */
export interface InputRequests {
  /** By keys that the tool chooses, each with the method and params of the protocol's request. */
  readonly requests: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>
  readonly state?: Json
}

export interface InputResponses {
  readonly responses: Readonly<Record<string, Json>>
  readonly state?: Json
}

export function contentText(content: Content): string {
  switch (content.type) {
    case 'text':
      return content.text
    case 'image':
    case 'audio':
      return content.mimeType === undefined ? `[${content.type}]` : `[${content.type}: ${content.mimeType}]`
    case 'resource_link':
      return content.uri
    case 'resource':
      return 'text' in content.resource ? content.resource.text : `[resource: ${content.resource.uri ?? 'of bytes'}]`
  }
}

export interface ToolFailure {
  readonly message: string
  readonly developer_message?: string
  readonly forOperator?: string
  readonly can_retry?: boolean
  readonly additional_prompt_content?: string
  readonly retry_after_ms?: number
  readonly content?: readonly Content[]
}
