/** As `GET /tools?format=summary` lists a version of a tool. */
export interface ListedTool {
  readonly id: string
  readonly description: string
  readonly version: string
  readonly requirements?: {
    readonly authorization?: readonly { readonly id: string }[]
    readonly secrets?: readonly { readonly id: string }[]
    readonly user_id?: boolean
  }
}

const MAX_DESCRIPTION = 240

/** How a description begins: those that are written for models are long. */
export function beginningOf({ description }: ListedTool): string {
  return description.length <= MAX_DESCRIPTION ? description : `${description.slice(0, MAX_DESCRIPTION)}…`
}
