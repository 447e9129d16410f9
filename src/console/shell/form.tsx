import { exact } from '../parts.tsx'

/** Where commands are sent to. */
export const SHELL_PATH = '/console/shell'

/** A field that takes a command; where scripts run, what it answers is shown below it. */
export function CommandForm({ command, isFoot = false }: { command: string; isFoot?: boolean }) {
  return (
    <form method="post" action={`${SHELL_PATH}#answer`} {...(isFoot ? { 'data-shows': 'answer' } : {})}>
      <label>
        A command <span class="note">curl, to this Switchboard. It is sent as you, so no key is needed.</span>
        <textarea name="command" required spellcheck={false} autocapitalize="off" autocomplete="off">
          {exact(command)}
        </textarea>
      </label>
      <button>Send it</button>
      <p role="status" data-progress hidden>
        Sending…
      </p>
    </form>
  )
}
