import { readQuestions, type Question } from './question.ts'

/**
 * Over the same tools, by three who had seen neither the ranking nor other questions. These are kept aside: nobody who changes
 * the ranking reads them, or what became of any of them, but for the figures that the test prints.
 */
export const ASIDE: readonly Question[] = readQuestions(`
list calendar events | GoogleCalendar.ListEvents MicrosoftOutlookCalendar.SearchEvents
forward the signed contract email to tom@acme.com | Gmail.ForwardEmail
create document with text | GoogleDocs.CreateDocumentFromText MicrosoftWord.CreateDocument
accept the invite to Thursday's design review | GoogleCalendar.RespondToEvent
what's this song I'm listening to? | Spotify.GetCurrentlyPlaying
scrape a web page to markdown | Brightdata.ScrapeAsMarkdown Firecrawl.ScrapeUrl
cheapest round trip from Madrid to Lisbon on the weekend of 14 June | GoogleFlights.SearchFlights
web search | GoogleSearch.Search Brightdata.SearchEngine
fly Paris to Tokyo, then Tokyo to Sydney, then Sydney back to Paris | GoogleFlights.SearchMultiCityFlights
who do we wake up if the servers break tonight | Pagerduty.ListOncalls
run a read-only SQL query | Postgres.ExecuteSelectQuery Yugabytedb.RunReadOnlyQuery
driving directions from Munich central station to Mozartplatz in Salzburg | GoogleMaps.GetDirectionsBetweenAddresses
get columns of a database table | Clickhouse.GetTableSchema Snowflake.GetTableSchema Yugabytedb.SummarizeDatabase
noise cancelling headphones under 200 dollars, which ones can I buy? | GoogleShopping.SearchProducts Walmart.SearchProducts
I need somewhere to stay in Vienna for two nights | GoogleHotels.SearchHotels
list database schemas | Clickhouse.DiscoverSchemas Postgres.DiscoverSchemas Snowflake.DiscoverSchemas
make a Drake meme about Monday standups | Imgflip.CreateMeme
count documents in mongo collection | Mongodb.CountDocuments
what did people say in #launch on Slack yesterday | Slack.GetMessages
am I busy on Friday afternoon? | GoogleCalendar.ListEvents MicrosoftOutlookCalendar.SearchEvents
run code in sandbox | E2b.RunCode
add Priya and Marco to the incident-42 channel in Slack | Slack.InviteUsersToChannel
send transactional email | Resend.SendEmail
cancel the Slack message I scheduled for 9am tomorrow | SlackApi.DeleteScheduledSlackMessage
I won't be in the office Wednesday, don't order lunch for me | Forkable.SkipMeal
reply to email thread | Gmail.ReplyToEmail
how much does it cost to register mybakery.com through Vercel | VercelApi.FetchDomainPrice
search files in cloud storage | Dropbox.SearchFilesAndFolders GoogleDrive.SearchFiles
who are Dana Whitfield's direct reports | MicrosoftUsers.GetDirectReports
can I eat this dish with my allergies | Forkable.CheckMealRestrictions
get task details | Asana.GetTaskById Insightly.GetTask TicktickApi.RetrieveTaskDetails
make a new deck for Contoso out of our branded pitch deck in Google Slides | GoogleSlides.CreatePresentationFromTemplate
add note to contact | Hubspot.CreateNoteActivity Insightly.CreateNote IntercomApi.AddNoteToContact
show me the speaker notes of the kickoff PowerPoint | MicrosoftPowerpoint.GetAllSlideNotes
who is my colleague's boss | MicrosoftUsers.GetUserManager
update deal close date | Hubspot.UpdateDealCloseDate Attio.UpdateRecord
add a closing paragraph to the end of my Word report | MicrosoftWord.InsertTextAtEnd
create customer invoice | Stripe.CreateInvoice
rename the Confluence page "Onboarding" to "New hire guide" | Confluence.RenamePage
turn down an applicant | Ashby.ArchiveApplication
check if pull request can be merged | Github.CheckPullRequestMergeStatus
look in Notion for pages with roadmap in the title | Notion.SearchByTitle NotionToolkit.SearchByTitle
list commits in a PR | Github.ListPullRequestCommits
ask Fireflies what we decided about pricing in Monday's call | Fireflies.AskAboutMeeting
why did my site fail to go live | Vercel.GetDeploymentLogs
list open incidents | Pagerduty.ListIncidents
give me the invitation text of my 3pm Zoom meeting so I can paste it | Zoom.GetMeetingInvitation
enrich company from domain | Apollo.EnrichOrganization
find VPs of marketing at fintech companies in London | Apollo.SearchPeople
kick everyone else off my file so only I can see it | GoogleDrive.RemoveAllCollaborators
add candidate to ATS | AshbyApi.CreateCandidate
pull up everything we have on Initech in Salesforce | Salesforce.GetAccountDataByKeywords
attach custom domain to project | Vercel.AddProjectDomain
post a thread on X about our 3.0 release | X.PostThread
what is left over when I divide 1000 by 37 | Math.Mod
search APM spans | Datadog.SearchSpans
get the reviews of this Amazon product: amazon.com/dp/B08N5WRWNW | Brightdata.WebDataFeed
export figma frame as png | Figma.ExportImage
how many tokens has my Cursor agent used so far | CursorAgents.GetAgentUsage
show me a clip on how to patch a bike tyre | Youtube.SearchForVideos
publish linkedin post | Linkedin.CreateTextPost
is the certificate for shop.example.com valid on Fly.io | Flyio.CheckCertificate
who has access to the Finance workspace in Power BI | MicrosoftPowerbi.ListWorkspaceMembers
what happened in the world today | GoogleNews.SearchNewsStories
mark ticket as solved | Zendesk.MarkTicketSolved
which tasks are assigned to Kim in ClickUp that are due this week | Clickup.GetTasksByAssignees
change issue status in Linear | Linear.TransitionIssueState
add Sam to the Website Redesign project in Asana | AsanaApi.AddMembersToProject
any openings for nurses around Leeds? | GoogleJobs.SearchJobs
calendly available slots | CalendlyApi.ListAvailableEventTimes
book a 30 minute demo for Laura Chen through HubSpot | HubspotMeetingsApi.BookHubspotMeeting HubspotMeetingsApi.ScheduleMeetingHubspot
track event for a known customer | CustomerioPipelinesApi.TrackUserEvent CustomerioTrackApi.SendCustomerEvent
email Miller Supplies the receipt for last week's payment from Zoho Books | ZohoBooksApi.SendVendorPaymentEmail
word for word, what was said in the meeting | Granola.GetMeetingTranscript
historical stock prices | GoogleFinance.GetStockHistoricalData
read the latest messages in the #help channel on our Discord | DiscordBot.ListMessages
list helpdesk agents | Freshdesk.ListAgents
download budget-2024.xlsx from my Dropbox | Dropbox.DownloadFile
whose number is this that called me | GoogleContacts.SearchContactsByPhoneNumber
close support ticket | Zendesk.MarkTicketSolved
create spreadsheet | GoogleSheets.CreateOrEditSpreadsheet
get xero item | XeroApi.RetrieveXeroItem
create invoice | Stripe.CreateInvoice
search notion pages by title | Notion.SearchByTitle NotionToolkit.SearchByTitle
list teams channels | MicrosoftTeams.ListChannels MicrosoftTeams.SearchChannels
delete sharepoint file | MicrosoftSharepoint.DeleteItem
what is 348 times 27 | Math.Multiply
plot a line chart with python | E2b.CreateStaticMatplotlibChart
identify user and set traits in Customer.io | CustomerioPipelinesApi.IdentifyPersonAndAssignTraits
delete git branch in sandbox | Daytona.GitDeleteBranch
answer Peter's mail that I'll be there at 3 | Gmail.ReplyToEmail
give me a view-only link to the contract in OneDrive that I can send to our lawyer | MicrosoftOnedrive.CreateShareLink
take the dentist appointment on Thursday off my Google calendar | GoogleCalendar.DeleteEvent
which GitHub repos can my Cursor background agents work on | CursorAgentsApi.ListGithubRepositories
read slack dm history | Slack.GetMessages
why did last night's Vercel deployment of the docs site fail | Vercel.GetDeploymentLogs
where can I buy a cheap espresso machine online | GoogleShopping.SearchProducts Walmart.SearchProducts
how long will the drive from home to my parents' house take | GoogleMaps.GetDirectionsBetweenAddresses GoogleMaps.GetDirectionsBetweenCoordinates
what's the email address of Jonas Weber from our company's legal department? he isn't in my Google contacts | GoogleContacts.SearchDirectoryPeople
bulk update landing page folders hubspot | HubspotCmsApi.UpdateLandingPageFolders
how big is the file attached to JIRA issue OPS-77 and who uploaded it | Jira.GetAttachmentMetadata
list weaviate oidc groups | WeaviateApi.RetrieveGroupNames
I posted something stupid on X this morning, take it down | X.DeleteTweetById
decline the Friday all-hands invite for me | GoogleCalendar.RespondToEvent
add Priya and Tom to the Website Relaunch project in Asana | AsanaApi.AddMembersToProject
list jira users | Jira.ListUsers
get scim user airtable | AirtableApi.GetScimUser
list available tools in arcade engine | ArcadeEngineApi.GetToolsList
how many orders with status "shipped" are in our mongo orders collection | Mongodb.CountDocuments
what columns does the events table in ClickHouse have | Clickhouse.GetTableSchema
create luma tag for people | LumaApi.CreatePersonTag
what does Sandra still have on her plate in ClickUp | Clickup.GetTasksByAssignees
the Globex deal slips to September 30, update it in HubSpot | Hubspot.UpdateDealCloseDate
list components in figma file | FigmaApi.GetFigmaFileComponents
is there a "checkout completed" event in our PostHog project | Posthog.ListEventDefinitions
leave a remark on the investor deck in Google Slides that slide 7 needs newer numbers | GoogleSlides.CommentOnPresentation
what data do we even keep in our database? list me the tables | Clickhouse.DiscoverTables Postgres.DiscoverTables Yugabytedb.SummarizeDatabase
comment on the Payments Migration project in Linear that legal has approved it | Linear.AddProjectComment
move the Initech deal in Attio to stage "Closed Won" | Attio.UpdateRecord
which mailing topics is maria@web.de subscribed to in Customer.io | CustomerioApi.GetSubscriptionPreferences
list custom event definitions hubspot | HubspotEventsApi.RetrieveCustomEventDefinitions
which dataset is the Revenue report in Power BI built on | MicrosoftPowerbi.GetReport
I bought my own web address and want my site on Vercel to show up under it | Vercel.AddProjectDomain
crawl status | Firecrawl.GetCrawlStatus
list exa webhooks | ExaApi.GetWebhooksList
where in Dropbox did I put the passport scan | Dropbox.SearchFilesAndFolders
granola meeting metadata | Granola.GetMeeting
list pylon team members | Pylon.ListUsers
add comment to zendesk ticket | Zendesk.AddTicketComment
how many members does our Telegram channel have | Telegram.GetChatInfo
record page visits of people who haven't logged in | CustomerioTrackApi.TrackAnonymousEvent
walking route between two lat/lng points | GoogleMaps.GetDirectionsBetweenCoordinates
is my Customer.io tracking account in the EU or the US region | CustomerioTrackApi.GetTrackApiRegion
which Vercel account am I logged in with | Vercel.GetCurrentUser
seek in current track | Spotify.AdjustPlaybackPosition
I want nobody except me to be able to open the salary file on my Google Drive any more | GoogleDrive.RemoveAllCollaborators
am I free tomorrow afternoon? | GoogleCalendar.ListEvents MicrosoftOutlookCalendar.SearchEvents
was the password reset mail we sent through Resend delivered | Resend.GetEmail
email the quarterly numbers to anna@northwind.com from billing@ourshop.com | Resend.SendEmail
look up on the internet who invented the zipper | GoogleSearch.Search Brightdata.SearchEngine
which AI models are recommended for Cursor background agents | CursorAgentsApi.ListRecommendedModels
find marketing directors at fintech companies in London | Apollo.SearchPeople
which colors and fonts has our design team published in Figma | Figma.GetStyles
when was the Notion page "Roadmap 2025" last edited | Notion.GetObjectMetadata NotionToolkit.GetObjectMetadata
how is our Notion laid out, what sits under what | NotionToolkit.GetWorkspaceStructure
batch create or update hubspot tasks | HubspotCrmApi.UpsertHubspotTasks
tls certificate validation status | Flyio.CheckCertificate
list hubspot workflows | HubspotAutomationApi.GetWorkflows
put the label "Receipts" on all mails from Amazon | Gmail.ChangeEmailLabels
how many views and likes does this YouTube video have | Youtube.GetYoutubeVideoDetails Brightdata.WebDataFeed
book a demo slot with the customer on our HubSpot meeting page for Tuesday 10am | HubspotMeetingsApi.BookHubspotMeeting HubspotMeetingsApi.ScheduleMeetingHubspot
add a Gantt view to our whole ClickUp workspace | ClickupApi.CreateTeamView
tick off the "call Hooli" task in Salesforce | Salesforce.UpdateTask
send draft from shared mailbox | MicrosoftOutlookMail.SharedMailboxSendDraftEmail
answer the user's question in Discord directly under his message | DiscordBot.ReplyToMessage
what did I plan to say for each slide of my PowerPoint talk | MicrosoftPowerpoint.GetAllSlideNotes
my Power BI data won't refresh, is the connection to the source down | MicrosoftPowerbi.DatasetGatewayHealth
has the Cursor agent finished its job and opened a PR | CursorAgents.GetRun
remove the old bank account from our connected Stripe account | StripeApi.DeleteExternalBankAccount
popular meme templates | Imgflip.GetPopularMemes
round 7.2 up to the next whole number | Math.Ceil
list guests in luma calendar | LumaApi.ListPeople
whom do I have to wake up if the server dies tonight | Pagerduty.ListOncalls
google doc from markdown | GoogleDocs.CreateDocumentFromText
which airports are there near Milan | GoogleFlights.LookupAirports
find the signed lease pdf on Google Drive | GoogleDrive.SearchFiles
what has the customer written so far in this Zendesk case | Zendesk.GetTicketComments
write an answer under that reddit thread | Reddit.CommentOnPost
get the invite text of Monday's Zoom meeting so I can paste it into a mail | Zoom.GetMeetingInvitation
cheapest way to fly to Lisbon and back over Easter | GoogleFlights.SearchFlights
jot down on the customer's record what we agreed on the phone | Hubspot.CreateNoteActivity Insightly.CreateNote IntercomApi.AddNoteToContact
which of my colleagues' calendars can I see in Outlook | MicrosoftOutlookCalendar.ListCalendars
how much is still unread in each folder of the info@ mailbox we all use | MicrosoftOutlookMail.SharedMailboxListMailFolders
I host a party on Luma, show me all there is about it | LumaApi.GetEventAdminInfo
throw out a text block nobody uses any more in Customer.io | CustomerioApi.RemoveUnusedSnippet
what stages can a project go through in our Linear | Linear.ListAvailableProjectStatuses
bulk update landing page folders in hubspot | HubspotCmsApi.UpdateLandingPageFolders
find the Fireflies recording of last Tuesday's call with Acme | Fireflies.SearchMeetings
check ssl certificate status fly.io | Flyio.CheckCertificate
which machines are running for my Fly app checkout-api | Flyio.ListMachines
stop the enrichment that's still running on my Exa webset | ExaApi.CancelWebsetOperations
who has an account in our Jira | Jira.ListUsers
list stripe customer portal configurations | StripeApi.GetBillingPortalConfigurations
is our Customer.io tracking account in the EU or the US | CustomerioTrackApi.GetTrackApiRegion
add a pros and cons slide to my PowerPoint deck | MicrosoftPowerpoint.CreateTwoContentSlide
I'm not going to Friday's yoga class anymore, take it off my calendar | GoogleCalendar.DeleteEvent
turn down Maria Lopez for the backend engineer job | Ashby.ArchiveApplication
start a new slideshow for the Acme pitch that looks like our usual company one | GoogleSlides.CreatePresentationFromTemplate
mark the comment thread on the Q3 Google Slides deck as resolved | GoogleSlides.ResolveComment
give Jonas access to yesterday's Fireflies meeting notes | Fireflies.ShareMeeting
find the Teams channel about budget planning | MicrosoftTeams.SearchChannels
show the whole conversation on Zendesk ticket 48213 | Zendesk.GetTicketComments
list tabs in a google doc | GoogleDocs.GetDocumentMetadata
list exa research requests | ExaApi.ListResearchRequests
get calendly event details | CalendlyApi.GetEventDetails
who works under Priya Nair | MicrosoftUsers.GetDirectReports
list everyone in our Pylon workspace | Pylon.ListUsers
copy the contract template into the Legal folder on SharePoint | MicrosoftSharepoint.CopyItem
update board classification settings for miro team | MiroApi.UpdateTeamBoardClassificationSettings
is there a legal hold on this version of the file in Box | BoxApi.RetrieveFileVersionLegalHolds
get billable expenses from xero | XeroApi.RetrieveLinkedTransactions
which account am I signed into Excel with | MicrosoftExcel.WhoAmI
delete the old staging environment in Postman | Postman.DeleteEnvironment
mark the follow-up call task as completed in Salesforce | Salesforce.UpdateTask
create gantt view in clickup | ClickupApi.CreateTeamView
change the time I logged on a ClickUp task from 2 hours to 3 | ClickupApi.EditLegacyTimeEntry
update lead in hubspot | HubspotCrmApi.UpdateLeadDetails
complete blocked workflow action hubspot | HubspotAutomationApi.CompleteActionExecution
leave a comment on this Reddit thread thanking the author | Reddit.CommentOnPost
get rid of the "buy milk" to-do in TickTick for good | TicktickApi.DeleteSpecificTask
get clickup spaces | ClickupApi.GetWorkspaceSpaces
what song is this that I'm listening to right now | Spotify.GetCurrentlyPlaying
who has starred our repo | Github.ListStargazers
post on LinkedIn that we're hiring a data engineer | Linkedin.CreateTextPost
remove custom field from trello board | TrelloApi.DeleteTrelloCustomField
what have I missed in #support on Discord today | DiscordBot.ListMessages
delete local git branch | Daytona.GitDeleteBranch
list all workspaces in our Slack enterprise org | SlackApi.ListTeamsInEnterprise
check bulk read job zoho creator | ZohoCreatorApi.GetBulkReadJobDetails
who is on the Tier 2 support team in Pylon | Pylon.GetTeamAndAssignment
share the budget folder on Google Drive with anna@acme.com so she can edit | GoogleDrive.ShareFile
which GitHub repos can Cursor get at | CursorAgentsApi.ListGithubRepositories
find a ClickUp folder called something like Website Redesign | Clickup.FuzzySearchFoldersByName
answer Sarah's email and say Thursday works for me | Gmail.ReplyToEmail
what Zoom calls do I have today | Zoom.ListUpcomingMeetings
get power bi report details | MicrosoftPowerbi.GetReport
who is in our VIP customers segment in Mailchimp | MailchimpMarketingApi.GetSegmentMembersInfo
list event types available in hubspot | HubspotEventsApi.ListEventTypes
update channel account staging token hubspot | HubspotConversationsApi.UpdateChannelAccountStaging
how is Apple trading right now | GoogleFinance.GetStockSummary
show Nvidia's share price over the last five years | GoogleFinance.GetStockHistoricalData
what's the airport code for Lisbon | GoogleFlights.LookupAirports
search salesforce accounts | Salesforce.GetAccountDataByKeywords
did jane@shop.com click the sale link in our last Mailchimp campaign | MailchimpMarketingApi.GetSubscriberClickDetails
get scim user | AirtableApi.GetScimUser
clear custom labels from self-hosted runner | GithubApi.RemoveAllCustomLabelsRunnerOrg
move the Globex deal to Closed Won in Attio | Attio.UpdateRecord
get hubspot subscription by id | HubspotCrmApi.GetSubscriptionDetails
what's on Marco's plate in ClickUp this week | Clickup.GetTasksByAssignees
latest tweets from my AI researchers list | X.GetListTweets
who is Daniel Weber's boss | MicrosoftUsers.GetUserManager
get trace by id | Datadog.GetTrace
who am I logged in as in Microsoft Teams | MicrosoftTeams.WhoAmI
delete customer group square | SquareupApi.DeleteCustomerGroup
check that my Freshdesk API key works | Freshdesk.WhoAmI
show pending terminal actions for the Square reader at the front desk | SquareupApi.SearchTerminalActions
how many tokens did my Cursor agent burn | CursorAgents.GetAgentUsage
draft an email to our supplier from the support@ shared mailbox in Outlook | MicrosoftOutlookMail.SharedMailboxCreateDraftEmail
jump ahead 30 seconds in this song | Spotify.AdjustPlaybackPosition
list oidc groups weaviate | WeaviateApi.RetrieveGroupNames
how many orders with status pending are in our Mongo database | Mongodb.CountDocuments
open a fresh empty Google Doc called Trip Ideas | GoogleDocs.CreateBlankDocument
read excel worksheet | MicrosoftExcel.ReadWorksheet
did the mail I sent through Resend ever arrive | Resend.GetEmail
I won't be in the office Wednesday so no lunch for me | Forkable.SkipMeal
book a Calendly slot for our new client Omar Haddad | CalendlyApi.CreateEventInvitee
add activity to account pylon | PylonApi.CreateAccountActivity
get hubspot sequence | HubspotAutomationApi.GetSequenceDetails
why did my website break on Vercel after I pushed last night | Vercel.GetDeploymentLogs
look up tom@acme.io in Airtable | AirtableApi.GetAirtableUserInfo
run select query on postgres | Postgres.ExecuteSelectQuery
close Zendesk ticket 9912, the customer got their refund | Zendesk.MarkTicketSolved
add note to intercom contact | IntercomApi.AddNoteToContact
find a coffee maker under $50 at Walmart | Walmart.SearchProducts
send a batch of identify and track calls to Customer.io | CustomerioPipelinesApi.SendBatchRequests
create matplotlib chart | E2b.CreateStaticMatplotlibChart
who do I call if the servers go down tonight | Pagerduty.ListOncalls
stop the Cursor agent run that's working on the login bug | CursorAgents.CancelRun
what would it cost to own the web address brightpath.dev | VercelApi.FetchDomainPrice
discover clickhouse schemas | Clickhouse.DiscoverSchemas
get walmart product details | Walmart.GetProductDetails
find all users who signed up in March in the MongoDB customers collection | Mongodb.FindDocuments
put a password on the PostHog insight I share with our investors | PosthogApi.CreateInsightsSharingPassword
get notion database metadata | Notion.GetObjectMetadata NotionToolkit.GetObjectMetadata
get datadog role details | DatadogApi.GetOrganizationRole
when are there open slots for a 30 minute intro call next week on Calendly | CalendlyApi.ListAvailableEventTimes
get granola meeting metadata | Granola.GetMeeting
nobody but me should be able to open my salary file in Drive anymore | GoogleDrive.RemoveAllCollaborators
a funny picture of a confused cat I could put a caption on | Imgflip.SearchMemes
flights from Boston to Madrid, then Madrid to Athens, then Athens back to Boston in June | GoogleFlights.SearchMultiCityFlights
show me the questions in our NPS survey in PostHog | Posthog.GetSurvey
find everyone in the trial-expired segment in Customer.io | Customerio.SearchPeople
how many Apollo API calls do we have left | Apollo.GetApiUsage
push the Initech deal's close date to the end of September in HubSpot | Hubspot.UpdateDealCloseDate
create share link onedrive | MicrosoftOnedrive.CreateShareLink
log a note on the Contoso deal in HubSpot that they want a discount | Hubspot.CreateNoteActivity
where did I put the lease agreement in Dropbox | Dropbox.SearchFilesAndFolders
get the pages from my finished Firecrawl crawl | Firecrawl.GetCrawlData
how fast did our people react to last night's outage | PagerdutyApi.GetIncidentResponseAnalytics
fix a typo in the announcement our bot posted on Discord | DiscordBot.EditMessage
forward the Hetzner invoice to accounting@ourfirm.com | Gmail.ForwardEmail
which Notion workspace am I connected to | Notion.WhoAmI
create project in insightly | Insightly.SaveProject
find the marketing plan in my Google Drive | GoogleDrive.SearchFiles
everyone who wants the product designer job we advertised | Ashby.ListApplications
what events are we tracking in PostHog | Posthog.ListEventDefinitions
add company to attio | Attio.CreateRecord
get customer cash balance transaction | StripeApi.RetrieveCashBalanceTransaction
what tables are in our Yugabyte database and how many rows do they have | Yugabytedb.SummarizeDatabase
somewhere to stay in Kyoto from 3 to 7 April for under 150 a night | GoogleHotels.SearchHotels
is the Cursor agent done yet | CursorAgents.GetRun
get zoho creator record | ZohoCreatorApi.FetchRecordDetail
set up a newsletter signup form in HubSpot | HubspotMarketingApi.CreateMarketingForm
find Felix Braun's address in our Google Workspace directory | GoogleContacts.SearchDirectoryPeople
list sandbox snapshots | Daytona.ListSnapshots
get current user outlook calendar | MicrosoftOutlookCalendar.WhoAmI
book meeting in hubspot | HubspotMeetingsApi.BookHubspotMeeting HubspotMeetingsApi.ScheduleMeetingHubspot
find the Onboarding Checklist page in Notion | NotionToolkit.SearchByTitle Notion.SearchByTitle
hide the list of recent changes at the side of my Trello board | TrelloApi.UpdateSidebarActivityPreference
change the title of the Confluence page "Draft" to "Release process" | Confluence.RenamePage
how many people have watched this YouTube video | Youtube.GetYoutubeVideoDetails
find company in freshdesk | Freshdesk.SearchCompanies
find clickup list by name | Clickup.FuzzySearchListsByName
`)
