import type { Definition, ToolRecord } from '../../../src/core/tool/tool.ts'

/** A record as another dialect publishes it; what is given takes the place of what stands here. */
export function recordOf(given: Partial<ToolRecord> = {}): ToolRecord {
  const { toolkit = 'Kit', tool = 'Tool', version = '1.0.0' } = given
  return {
    toolkit,
    tool,
    version,
    id: `${toolkit}.${tool}@${version}`,
    name: `${toolkit}_${tool}`.slice(0, 64),
    description: 'What it does',
    input: { type: 'object' },
    output: {},
    requirements: { authorization: [], secrets: [], user_id: false },
    securityLevel: 0,
    tags: [],
    source: { dialect: 'other', document: {} },
    digest: 'd',
    ...given,
  }
}

/** A record as publication makes it of a definition. */
export function published(
  definition: Definition,
  dialect: string,
  document: ToolRecord['source']['document'],
): ToolRecord {
  return recordOf({ ...definition, source: { dialect, document } } as Partial<ToolRecord>)
}
