/** People and their devices: the chief invites, and shuts out. */
import { useEffect, useState } from 'preact/hooks';
import { coded, t, tx } from '../../language/td';
import { get, post } from '../../live/td/server';
import type { Decoded } from '../../model/decode';
import { type Me, type Rank, invitation as invitationOf, staff as staffOf } from '../../model/td/wire';
import { phoneWords } from '../../model/td/phones';
import { Code } from './Code';
import { Sure } from './Sure';
import { TdBar } from './TdBar';
import { useDesk } from './useDesk';

const list = (text: string) => text.split(',').map((name) => name.trim()).filter(Boolean);

export function StaffPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [staff, setStaff] = useState<Decoded<typeof staffOf> | null>(null);
  const [invitation, setInvitation] = useState<Decoded<typeof invitationOf> | null>(null);
  const [note, setNote] = useState('');
  const [person, setPerson] = useState('');
  const [rank, setRank] = useState<Rank>('floor');
  const [sections, setSections] = useState('');
  const [tables, setTables] = useState('');
  const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
  const look = () => void get('/api/v1/td/staff', staffOf).then(setStaff, failed);
  useEffect(look, []);
  const invite = (event: Event) => {
    event.preventDefault();
    const scope = { sections: list(sections), tables: list(tables) };
    post('/api/v1/td/invitations', { person, rank, scope }, invitationOf).then((made) => {
      setInvitation(made);
      look();
    }, failed);
  };
  const change = (path: string) => void post(path, {}, (body) => body).then(look, failed);
  return (
    <main class="td">
      <TdBar title={t('People')} me={me} desk={desk} />
      {note !== '' && <p class="note" role="alert">{note}</p>}
      {invitation !== null && (
        <section class="invitation" data-testid="invitation">
          {invitation.code !== null && <Code rows={invitation.code.split('/')} />}
          <p>{t('Open this with the camera of their phone. It works once, for 15 minutes.')}</p>
          <p class="td-soft">{tx('Without a camera: {origin}', { origin: window.location.origin + invitation.path })}</p>
          <p class="pin">{tx('PIN {pin}', { pin: invitation.pin })}</p>
          <button onClick={() => setInvitation(null)}>{t('Close')}</button>
        </section>
      )}
      <form class="fields" onSubmit={invite}>
        <label>
          {t('Name, as the ledger will have it')}
          <input required maxLength={60} value={person} onInput={(event) => setPerson(event.currentTarget.value)} />
        </label>
        <label>
          {t('As')}
          <select value={rank} onChange={(event) => setRank(event.currentTarget.value as Rank)}>
            <option value="scorekeeper">{t('Scorekeeper')}</option>
            <option value="floor">{t('Floor director')}</option>
            <option value="section-chief">{t('Section chief')}</option>
            <option value="chief">{t('Chief director')}</option>
          </select>
        </label>
        <label>
          {t('Sections, with commas; none for all')}
          <input value={sections} onInput={(event) => setSections(event.currentTarget.value)} />
        </label>
        <label>
          {t('Tables, with commas')}
          <input value={tables} onInput={(event) => setTables(event.currentTarget.value)} />
        </label>
        <button class="strong" type="submit">{t('Invite')}</button>
      </form>
      {staff !== null && staff.devices.length < 2 && staff.invitations.length === 0 && <p class="note">{t('You are alone here. Write the name of a director or scorekeeper, choose what they may do, touch Invite, and have their phone read the code.')}</p>}
      <ul class="entrants" data-testid="devices">
        {staff?.devices.map((device) => (
          <li key={device.device}>
            <span>
              {device.person}, {coded(device.rank)} <span class="td-soft">{device.label}{device.works && ` · ${phoneWords(device)}`}</span>
            </span>
            {device.works ? (
              <Sure label={t('Shut out')} says={t('this device sees and does nothing any more')} act={() => change(`/api/v1/td/devices/${device.device}/revoke`)} />
            ) : (
              <em>{t('shut out')}</em>
            )}
          </li>
        ))}
        {staff?.invitations.map((open) => (
          <li key={`invitation ${open.invitation}`}>
            <span>{open.person} <span class="td-soft">{t('invited')}</span></span>
            <Sure label={t('Void')} says={t('the code works no more')} act={() => change(`/api/v1/td/invitations/${open.invitation}/void`)} />
          </li>
        ))}
      </ul>
    </main>
  );
}
