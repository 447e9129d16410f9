const PROVIDER_SCOPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  github: {
    'gist': 'Create and change your gists',
    'notifications': 'Read and mark your notifications',
    'public_repo': 'Read and change your public repositories',
    'read:org': 'Read your organizations and teams',
    'read:user': 'Read your profile',
    'repo': 'Read and change all your repositories, private ones too',
    'user': 'Read and change your profile',
    'user:email': 'Read your email addresses',
    'workflow': 'Change GitHub Actions workflows',
  },
  google: {
    'https://mail.google.com/': 'Read, write, send and delete all your email',
    'https://www.googleapis.com/auth/calendar': 'Read and change your calendars',
    'https://www.googleapis.com/auth/calendar.events': 'Read and change the events in your calendars',
    'https://www.googleapis.com/auth/calendar.readonly': 'Read your calendars',
    'https://www.googleapis.com/auth/contacts': 'Read and change your contacts',
    'https://www.googleapis.com/auth/contacts.readonly': 'Read your contacts',
    'https://www.googleapis.com/auth/documents': 'Read and change your Google Docs documents',
    'https://www.googleapis.com/auth/documents.readonly': 'Read your Google Docs documents',
    'https://www.googleapis.com/auth/drive': 'Read, change and delete all your Google Drive files',
    'https://www.googleapis.com/auth/drive.file': 'Read and change the Google Drive files you use it with',
    'https://www.googleapis.com/auth/drive.readonly': 'Read all your Google Drive files',
    'https://www.googleapis.com/auth/gmail.compose': 'Write drafts and send email as you',
    'https://www.googleapis.com/auth/gmail.labels': 'Read and change your email labels',
    'https://www.googleapis.com/auth/gmail.metadata': 'Read the headers and labels of your email',
    'https://www.googleapis.com/auth/gmail.modify': 'Read, write and send your email',
    'https://www.googleapis.com/auth/gmail.readonly': 'Read your email',
    'https://www.googleapis.com/auth/gmail.send': 'Send email as you',
    'https://www.googleapis.com/auth/spreadsheets': 'Read and change your Google Sheets spreadsheets',
    'https://www.googleapis.com/auth/spreadsheets.readonly': 'Read your Google Sheets spreadsheets',
    'https://www.googleapis.com/auth/tasks': 'Read and change your tasks',
    'https://www.googleapis.com/auth/userinfo.email': 'See your email address',
    'https://www.googleapis.com/auth/userinfo.profile': 'See your name and picture',
  },
  microsoft: {
    'Calendars.Read': 'Read your calendars',
    'Calendars.ReadWrite': 'Read and change your calendars',
    'Chat.Read': 'Read your Teams chats',
    'Contacts.Read': 'Read your contacts',
    'Files.Read': 'Read your files',
    'Files.ReadWrite': 'Read, change and delete your files',
    'Mail.Read': 'Read your email',
    'Mail.ReadWrite': 'Read, change and delete your email',
    'Mail.Send': 'Send email as you',
    'User.Read': 'Sign in, and read your profile',
  },
  slack: {
    'channels:history': 'Read messages in public channels',
    'channels:read': 'See public channels',
    'chat:write': 'Post messages as you',
    'files:read': 'Read files',
    'groups:history': 'Read messages in your private channels',
    'im:history': 'Read your direct messages',
    'search:read': 'Search your workspace',
    'users:read': 'See the people in your workspace',
  },
}

/** OpenID Connect Core, sections 5.4 and 11. */
const COMMON_SCOPES: Readonly<Record<string, string>> = {
  openid: 'See who you are there',
  email: 'See your email address',
  profile: 'See your name and picture',
  'offline_access': 'Stay connected when you are not there, until you revoke it',
  'access_type=offline': 'Stay connected when you are not there, until you revoke it',
  'token_access_type=offline': 'Stay connected when you are not there, until you revoke it',
}

export function describeScope(provider: string, scope: string): string | undefined {
  const providerScopes = Object.hasOwn(PROVIDER_SCOPES, provider) ? PROVIDER_SCOPES[provider] : undefined
  if (providerScopes && Object.hasOwn(providerScopes, scope)) return providerScopes[scope]
  return Object.hasOwn(COMMON_SCOPES, scope) ? COMMON_SCOPES[scope] : undefined
}
