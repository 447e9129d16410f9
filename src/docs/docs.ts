import type { Json } from '../core/tool/json.ts'

/** Guides, their files and their style. They are not in the bundle, because they would be a tenth of it. */
export interface Docs {
  readonly guides: readonly Guide[]
  /** Files by name, served unchanged beside the guides. */
  readonly files: Readonly<Record<string, string>>
  readonly style: string
  readonly reference: ReferenceWords
}

/** The parts of the API reference that the routes do not declare. `words.schema.json` describes each. */
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
  /** In Markdown. `html` leaves out the title. */
  readonly text: string
  readonly html: string
  readonly title: string
  /** Describes what readers can do after reading the guide. */
  readonly summary: string
  readonly summaryHtml: string
  readonly contents: readonly GuideSection[]
}

export interface GuideSection {
  readonly anchor: string
  readonly title: string
  readonly depth: number
  /** The offset of its heading in the text. */
  readonly at: number
}
