/** What is read from beside the bundle. */
export interface Docs {
  readonly guides: readonly Guide[]
  /** Served beside the guides as they are, by name. */
  readonly files: Readonly<Record<string, string>>
  readonly style: string
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
