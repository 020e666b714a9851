/** People and their devices: the chief invites, and shuts out. */
import { useEffect, useState } from 'preact/hooks';
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
      <TdBar title="People" me={me} desk={desk} />
      {note !== '' && <p class="note" role="alert">{note}</p>}
      {invitation !== null && (
        <section class="invitation" data-testid="invitation">
          {invitation.code !== null && <Code rows={invitation.code.split('/')} />}
          <p>Open this with the camera of their phone. It works once, for 15 minutes.</p>
          <p class="td-soft">Without a camera: {window.location.origin + invitation.path}</p>
          <p class="pin">PIN {invitation.pin}</p>
          <button onClick={() => setInvitation(null)}>Close</button>
        </section>
      )}
      <form class="fields" onSubmit={invite}>
        <label>
          Name, as the ledger will have it
          <input required maxLength={60} value={person} onInput={(event) => setPerson(event.currentTarget.value)} />
        </label>
        <label>
          As
          <select value={rank} onChange={(event) => setRank(event.currentTarget.value as Rank)}>
            <option value="scorekeeper">Scorekeeper</option>
            <option value="floor">Floor director</option>
            <option value="section-chief">Section chief</option>
            <option value="chief">Chief director</option>
          </select>
        </label>
        <label>
          Sections, with commas; none for all
          <input value={sections} onInput={(event) => setSections(event.currentTarget.value)} />
        </label>
        <label>
          Tables, with commas
          <input value={tables} onInput={(event) => setTables(event.currentTarget.value)} />
        </label>
        <button class="strong" type="submit">Invite</button>
      </form>
      <ul class="entrants" data-testid="devices">
        {staff?.devices.map((device) => (
          <li key={device.device}>
            <span>
              {device.person}, {device.rank.replace('-', ' ')} <span class="td-soft">{device.label}{device.works && ` · ${phoneWords(device)}`}</span>
            </span>
            {device.works ? (
              <Sure label="Shut out" says="this device sees and does nothing any more" act={() => change(`/api/v1/td/devices/${device.device}/revoke`)} />
            ) : (
              <em>shut out</em>
            )}
          </li>
        ))}
        {staff?.invitations.map((open) => (
          <li key={`invitation ${open.invitation}`}>
            <span>{open.person} <span class="td-soft">invited</span></span>
            <Sure label="Void" says="the code works no more" act={() => change(`/api/v1/td/invitations/${open.invitation}/void`)} />
          </li>
        ))}
      </ul>
    </main>
  );
}
