import type { Problem } from '../../core/tool/problem.ts'
import { Notice } from '../parts.tsx'
import { type Field, ROOT_FIELD } from './fields.ts'

/** Shows where the value at a path is: the labels of its fields as a link, with the line, or else the path. */
export function ProblemPlace({ fields, path }: { fields: readonly Field[]; path: string }) {
  const trail = findFields(fields, `${ROOT_FIELD}${path}/`)
  const field = trail.at(-1)
  if (!field) return <code>{path.slice(1)}</code>
  const [, line] = /^\/(\d+)$/.exec(path.slice(field.name.length - ROOT_FIELD.length)) ?? []
  return (
    <a href={`#f-${field.name}`}>
      {trail.map(({ label }) => label).join(' › ')}
      {line !== undefined && `, ${field.kind.type === 'lines' ? 'line' : 'item'} ${Number(line) + 1}`}
    </a>
  )
}

/** Finds the field that contains the value at a path, after its enclosing fields. */
function findFields(fields: readonly Field[], path: string): readonly Field[] {
  const field = fields.find(({ name }) => path.startsWith(`${name}/`))
  if (!field) return []
  return [field, ...(field.kind.type === 'group' ? findFields(field.kind.fields, path) : [])]
}

/** Links to each invalid field, in one line. The message of a problem without a field is shown here. */
export function ProblemSummary({ fields, problems }: { fields: readonly Field[]; problems: readonly Problem[] }) {
  if (problems.length === 0) return undefined
  return (
    <Notice isProblem>
      <p>
        <strong>{problems.length === 1 ? '1 value needs' : `${problems.length} values need`} a correction:</strong>{' '}
        {problems.map(({ path, message }, index) => (
          <>
            {index === 0 ? undefined : ', '}
            {path === '' ? undefined : <ProblemPlace fields={fields} path={path} />}
            {findFields(fields, `${ROOT_FIELD}${path}/`).length > 0 ? undefined : ` ${message}`}
          </>
        ))}
      </p>
    </Notice>
  )
}
