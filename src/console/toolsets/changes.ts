import type { ToolsetDefinition } from '../../core/access/toolset.ts'
import type { TextChange } from '../../core/publish/text-changes.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'

/** Compares two definitions of a toolset. Texts that models read as instructions come first. */
export function compareToolsets(before: ToolsetDefinition, after: ToolsetDefinition): readonly TextChange[] {
  const [oldTexts, newTexts] = [listTexts(before), listTexts(after)]
  return [...new Set([...newTexts.keys(), ...oldTexts.keys()])].flatMap((path): readonly TextChange[] => {
    const [oldText, newText] = [oldTexts.get(path), newTexts.get(path)]
    if (oldText === newText) return []
    if (oldText === undefined) return [{ path, what: 'New:', level: 'patch', after: newText ?? '' }]
    if (newText === undefined) return [{ path, what: 'Removed:', level: 'patch', before: oldText }]
    return [{ path, what: 'Changed:', level: 'patch', before: oldText, after: newText }]
  })
}

/** By path; an entry's has its tool. The order of entries matters too: the first pattern that matches a tool applies. */
function listTexts({ instructions, tools, ...others }: ToolsetDefinition): ReadonlyMap<string, string> {
  const values: readonly (readonly [string, unknown])[] = [
    ['/instructions', instructions],
    ['/tools', tools.map(({ tool }) => tool).join(' ')],
    ...tools.flatMap(({ tool, ...entry }) =>
      Object.entries(entry).map(([key, value]) => [`/tools${encodePointerStep(tool)}/${key}`, value] as const),
    ),
    ...Object.entries(others).map(([key, value]) => [`/${key}`, value] as const),
  ]
  return new Map(
    values.flatMap(([path, value]) =>
      value === undefined ? [] : [[path, typeof value === 'string' ? value : canonicalJson(value)]],
    ),
  )
}
