import type { ApiAnswers } from '../../api/answers.ts'
import { MANIFEST_FILE } from '../../core/skill/skill.ts'
import { Markdown } from '../markdown.tsx'
import type { PageContext, Reply, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { CATALOG_LINK, toFailureView } from '../parts.tsx'
import { buildQuery } from '../query.ts'
import { Table } from '../table.tsx'

type Skill = ApiAnswers['GET /skills']['items'][number]

/** A skill: its instructions as text, and its files. */
export async function show(context: PageContext): Promise<View> {
  const { toolkit = '', name = '' } = context.params
  const reply = await context.fetchRoute('GET /toolkits/:toolkit/skills/:name', { toolkit, name })
  if (!reply.ok) return toFailureView('Skill', reply, CATALOG_LINK)
  const { version, files, resources } = reply.value
  const trail = [
    { text: 'Catalog', href: '/' },
    { text: toolkit, href: `/?${buildQuery({ toolkit })}` },
  ]
  const content = (
    <>
      <p class="note">Version {version}</p>
      <Markdown text={String(files[MANIFEST_FILE])} />
      <Table
        label="Files"
        columns={[
          { title: 'File', cell: ({ path }: Skill['resources'][number]) => <code>{path}</code> },
          { title: 'Bytes', cell: ({ size }) => size },
        ]}
        {...paginate(context, resources, 50)}
        emptyMessage="No files."
      />
    </>
  )
  return { title: name, trail, content }
}

/** The first skills of a toolkit, for its page. */
export function SkillLinks({ reply }: { reply: Reply<ApiAnswers['GET /skills']> | undefined }) {
  if (!reply?.ok || reply.value.items.length === 0) return undefined
  return (
    <p>
      Skills:{' '}
      {reply.value.items.map(({ toolkit, name }) => (
        <>
          <a href={`/console/skills/${toolkit}/${name}`}>{name}</a>{' '}
        </>
      ))}
    </p>
  )
}
