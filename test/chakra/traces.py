"""Reads Chakra execution traces by `protoc --decode` with the schema of chakra.proto.

A file is a sequence of messages, each preceded by its length as a varint: the metadata, then nodes. Unknown
fields are errors, since the schema of the test has every field that the traces may contain.
"""

import dataclasses
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {"COMP_NODE": "comp", "COMM_SEND_NODE": "send", "COMM_RECV_NODE": "recv"}


@dataclasses.dataclass
class Node:
    rank: int
    id: int
    name: str
    kind: str
    deps: list
    duration: int
    attributes: dict


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def as_fields(data):
    """The messages of a file as the fields of one message: 1 is the first, 2 all others."""
    at = 0
    fields = b""
    while at < len(data):
        length, begin = varint(data, at)
        if begin + length > len(data):
            raise ValueError("the file ends inside a message")
        tag = b"\x12" if at else b"\x0a"
        fields += tag + data[at:begin + length]
        at = begin + length
    return fields


def parse_text(lines):
    """A message in protobuf's text format, as a list of values for each field."""
    message = {}
    for line in lines:
        if line == "}":
            break
        if line.endswith(" {"):
            name, value = line[:-2], parse_text(lines)
        else:
            name, value = line.split(": ", 1)
            value = json.loads(value) if value[0] in '"-0123456789' or value in ("true", "false") else value
        if name.isdigit():
            raise ValueError(f"unknown field {name}")
        message.setdefault(name, []).append(value)
    return message


def attributes(message):
    values = {}
    for attribute in message.get("attr", []):
        (name,) = attribute.pop("name")
        ((kind, (value,)),) = attribute.items()
        if name in values:
            raise ValueError(f"two attributes {name}")
        values[name] = (kind, value)
    return values


def read(path, rank):
    """The metadata of a trace (version, attributes) and its nodes."""
    text = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=ChakraProtoMsg.Trace", "chakra.proto"],
                          input=as_fields(path.read_bytes()), capture_output=True, check=True).stdout
    trace = parse_text(iter([line.strip() for line in text.decode().splitlines()]))
    nodes = [Node(rank, node.get("id", [0])[0], node["name"][0], KINDS[node["type"][0]],
                  node.get("data_deps", []) + node.get("ctrl_deps", []),
                  node.get("duration_micros", [0])[0], attributes(node)) for node in trace["node"]]
    (metadata,) = trace["metadata"]
    return metadata["version"][0], attributes(metadata), nodes
