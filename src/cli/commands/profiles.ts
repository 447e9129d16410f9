import { SwitchboardError } from '../../client/index.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CommonOptions } from '../context.ts'
import { getProfileName, getProfilesFile, readProfiles, writeProfiles } from '../profiles.ts'

export const addProfiles: AddCommands = (program, open) => {
  program
    .command('login [url]')
    .description('save the address and the key of a deployment; the key is typed, or read from standard input')
    .action(async (url, options: CommonOptions) => {
      const loginOptions = { ...options, ...(url === undefined ? {} : { url }), ignoresProfile: true }
      const { terminal, surroundings, url: address } = open(loginOptions)
      const name = getProfileName(options.profile, surroundings)
      const key = await terminal.readSecret(`API key for ${address.origin}: `)
      if (key === '') throw new CliError('usage', 'There is no key in the standard input')
      const { connection } = open({ ...loginOptions, key })
      await connection.sendJson({ path: '/tools', query: { limit: 1 } }).catch((error: unknown) => {
        // A valid key may lack the scope for this
        if (!(error instanceof SwitchboardError) || error.code !== 'forbidden') throw error
      })
      const file = getProfilesFile(surroundings)
      const others = readProfiles(file).filter((profile) => profile['name'] !== name)
      await writeProfiles(file, [...others, { name, origin: address.origin, key, allowHttp: options.allowHttp }])
      terminal.emit({ profile: name, url: address.origin, file }, () =>
        terminal.note(['green', '✓'], ` Logged in to ${address.origin}. The profile '${name}' is in ${file}`),
      )
    })
  program
    .command('logout')
    .description('delete a profile from this machine; its key stays valid')
    .action(async (options: CommonOptions) => {
      const { terminal, surroundings } = open({ ...options, ignoresProfile: true })
      const name = getProfileName(options.profile, surroundings)
      const file = getProfilesFile(surroundings)
      const profiles = readProfiles(file)
      const others = profiles.filter((profile) => profile['name'] !== name)
      if (others.length === profiles.length) throw new CliError('refused', `There is no profile '${name}'`)
      await writeProfiles(file, others)
      terminal.emit({ profile: name, removed: true }, () =>
        terminal.note(['green', '✓'], ` The profile '${name}' is deleted. 'switchboard keys revoke' ends its key`),
      )
    })
  program
    .command('profiles')
    .description('list the deployments that you logged in to')
    .action((options) => {
      const { terminal, surroundings } = open({ ...options, ignoresProfile: true })
      const items = readProfiles(getProfilesFile(surroundings)).map(({ name, origin }) => ({ name, url: origin }))
      terminal.emit({ items }, () => terminal.table({ Profile: 'name', Deployment: 'url' })(items))
    })
}
