import type { Json } from '../core/tool/json.ts'

/** Guides, their files and their style: read from beside the bundle, of which they would be a tenth. */
export interface Docs {
  readonly guides: readonly Guide[]
  /** Served beside the guides as they are, by name. */
  readonly files: Readonly<Record<string, string>>
  readonly style: string
  readonly reference: ReferenceWords
}

/** The words of the API reference that the routes do not declare; `words.schema.json` beside them says what each is for. */
export interface ReferenceWords {
  readonly fields: Readonly<Record<string, FieldWords>>
  readonly examples: Readonly<Record<string, OperationExample>>
}

export interface FieldWords {
  readonly description: string
  readonly example?: Json
}

export interface OperationExample {
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: Json
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
