import type { Json } from '../core/tool/json.ts'

/** Guides, their files and their style: read from beside the bundle, of which they would be a tenth. */
export interface Docs {
  readonly guides: readonly Guide[]
  /** Served beside the guides as they are, by name. */
  readonly files: Readonly<Record<string, string>>
  readonly style: string
  readonly reference: ReferenceWords
}

/** The words of the API reference that the routes do not declare, as few requests need them. */
export interface ReferenceWords {
  /** By name, behind the operation, component or first segment of a path that a name is for. */
  readonly fields: Readonly<Record<string, FieldWords>>
  /** By method and path. */
  readonly examples: Readonly<Record<string, OperationExample>>
}

export type FieldWords = readonly [description: string, example?: Json]

export interface OperationExample {
  /** In place of the examples of the parameters; optional ones stand in no request otherwise. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: Json
  /** A body that is no JSON; a name behind an `@` is that of a file, as curl has it. */
  readonly sends?: string
  /** In place of one that is made of the examples of the fields. */
  readonly answer?: Json
}

export interface Guide {
  readonly name: string
  /** In Markdown, and below its title in HTML. */
  readonly text: string
  readonly html: string
  readonly title: string
  /** Says what one can do after reading it. */
  readonly summary: string
  readonly summaryHtml: string
  readonly contents: readonly GuideSection[]
}

export interface GuideSection {
  readonly anchor: string
  readonly title: string
  readonly depth: number
  /** Where its heading stands in the text. */
  readonly at: number
}
