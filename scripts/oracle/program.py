"""A program that is being written: its inputs, its text, and the objects that statements can use."""

import re
import struct


class Input:
    """Something symbolic, and the values that it takes: every one of them is run."""

    def __init__(self, name, how, least, greatest):
        self.name, self.how, self.least, self.greatest = name, how, least, greatest

    def count(self):
        return self.greatest - self.least + 1

    def lines(self):
        if self.how == "between":
            return [f'int {self.name} = mneme_between({self.least}, {self.greatest}, "{self.name}");']
        ctype, known = {"uchar": ("unsigned char", 255), "schar": ("signed char", 127)}[self.how]
        lines = [f'{ctype} {self.name} = mneme_{self.how}("{self.name}");']
        conditions = [f"{self.name} >= {self.least}"] * (self.how == "schar" or self.least > 0)
        conditions += [f"{self.name} <= {self.greatest}"] * (self.greatest < known)
        return lines + [f"mneme_assume({' && '.join(conditions)});"] * bool(conditions)

    def value(self, data):
        formats = {"between": "<i", "uchar": "<B", "schar": "<b", "bytes": "<B"}
        return struct.unpack(formats[self.how], data)[0]


class Scalar:
    """A variable with a number in it."""

    def __init__(self, name, ctype):
        self.name, self.ctype = name, ctype


class Block:
    """Memory for `count` numbers. `slack` is how many bytes after it certainly belong to no other object natively, `before` how many before it."""

    SLACK = {"heap": 1900, "stack": 32, "global": 16}
    BEFORE = {"heap": 1900, "stack": 16, "global": 0}

    def __init__(self, name, ctype, size, count, storage):
        self.name, self.ctype, self.size, self.count, self.storage = name, ctype, size, count, storage
        self.slack, self.before = self.SLACK[storage], self.BEFORE[storage]


class Field:
    """A member of a record. For the meaning of `kind`, see where records are made."""

    def __init__(self, name, kind, text, **more):
        self.name, self.kind, self.text = name, kind, text
        self.__dict__.update(more)


class Record:
    def __init__(self, name, fields):
        self.name, self.fields = name, fields

    def of(self, *kinds):
        return [field for field in self.fields if field.kind in kinds]

    def size(self):
        """The most bytes, for either width."""
        return 8 + sum(field.size + 7 & ~7 for field in self.fields)


class Table:
    """An array of records."""

    def __init__(self, name, record, count, storage):
        self.name, self.record, self.count, self.storage = name, record, count, storage
        self.slack, self.before = Block.SLACK[storage], Block.BEFORE[storage]


class Program:
    def __init__(self):
        self.inputs = []
        self.head = []
        self.types = []
        self.globals = []
        self.functions = []
        self.body = []
        self.depth = 1
        # An index may leave a member: an answer can be compared only if mneme was asked to check that.
        self.leaves = False
        # How many classes of exit codes its last decisions distinguish, by their lowest bits.
        self.classes = 1

    def emit(self, text):
        self.body.append("  " * self.depth + text)

    def text(self):
        parts = [self.head, self.types, self.globals, self.functions, ["int main(void) {", *self.body, "}"]]
        return self.first_line() + "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def first_line(self):
        """What must be known about the program besides its text."""
        inputs = (f"{one.name}={one.how}:{one.least}:{one.greatest}" for one in self.inputs)
        return f"/* inputs {' '.join(inputs)}; classes {self.classes}{'; leaves' * self.leaves} */\n"

    def domains(self):
        return [(one.least, one.greatest) for one in self.inputs]

    def number(self):
        """The number of the input among all, as an expression of the program."""
        number = "0"
        for one in self.inputs:
            number = f"({number} * {one.count()} + ({one.name} - {one.least}))"
        return number

    def class_of(self, code):
        return code & (self.classes - 1)

    def values(self, given):
        """The values of a test's inputs; one that the path never asked for may have any value."""
        known = {}
        for name, data in given:
            array = [one for one in self.inputs if one.how == "bytes" and one.name.split("[")[0] == name]
            for number, one in enumerate(array):
                known[one.name] = one.value(data[number:number + 1])
            known.update({one.name: one.value(data) for one in self.inputs if one.name == name})
        return tuple(known.get(one.name, one.least) for one in self.inputs)


class Written(Program):
    """A program that was written before: its first line says what its inputs are."""

    def __init__(self, text):
        super().__init__()
        found = re.match(r"/\* inputs (.*); classes (\d+)(; leaves)? \*/", text)
        if not found:
            raise ValueError("the first line does not say what the inputs are")
        self.written, self.classes, self.leaves = text, int(found[2]), bool(found[3])
        for word in found[1].split():
            name, how, least, greatest = re.match(r"(.*)=(\w+):(-?\d+):(-?\d+)", word).groups()
            self.inputs.append(Input(name, how, int(least), int(greatest)))

    def text(self):
        return self.written
