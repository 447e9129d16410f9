import type { ToolsetDefinition } from '../../core/access/toolset.ts'
import { compareField, type TextChange } from '../../core/publish/text-changes.ts'
import { createBudget } from '../../core/tool/budget.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'

/** Compares two definitions of a toolset. Texts that models read as instructions come first. */
export function compareToolsets(before: ToolsetDefinition, after: ToolsetDefinition): readonly TextChange[] {
  const [oldValues, newValues] = [listValues(before), listValues(after)]
  return [...new Set([...newValues.keys(), ...oldValues.keys()])].flatMap((path) => {
    const label = `Its '${path.slice(path.lastIndexOf('/') + 1)}'`
    return [...compareField(path, label, oldValues.get(path), newValues.get(path), createBudget())]
  })
}

/** Lists values by path; an entry's path has its tool. Order matters too: the first pattern that matches a tool applies. */
function listValues({ instructions, tools, ...others }: ToolsetDefinition): ReadonlyMap<string, unknown> {
  const entryValues = tools.flatMap(({ tool, ...entry }) =>
    Object.entries(entry).map(([key, value]) => [`tools${encodePointerStep(tool)}/${key}`, value] as const),
  )
  const toolList = tools.map(({ tool }) => tool).join(' ')
  const values = [
    ['instructions', instructions],
    ['tools', toolList],
    ...entryValues,
    ...Object.entries(others),
  ] as const
  return new Map(values.map(([key, value]) => [`/${key}`, value]))
}
